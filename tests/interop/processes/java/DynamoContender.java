import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Adds one to a number in a file, several times, each time under a lock of the Amazon DynamoDB Lock Client. */
public class DynamoContender {
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[2]);
    DynamoDbClient dynamo = DynamoDbClient.builder()
        .endpointOverride(URI.create(arguments[0]))
        .region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
        .build();
    // as Hudi's DynamoDBBasedLockProvider makes it
    AmazonDynamoDBLockClient client = new AmazonDynamoDBLockClient(
        AmazonDynamoDBLockClientOptions.builder(dynamo, arguments[1])
            .withTimeUnit(TimeUnit.MILLISECONDS)
            .withLeaseDuration(60_000L)
            .withHeartbeatPeriod(20_000L)
            .withCreateHeartbeatBackgroundThread(true)
            .build());
    for (int round = 0; round < Integer.parseInt(arguments[3]); round++) {
      LockItem lock = client.acquireLock(AcquireLockOptions.builder("trips")
          .withAdditionalTimeToWaitForLock(120_000L)
          .withTimeUnit(TimeUnit.MILLISECONDS)
          .build());
      int number = Integer.parseInt(Files.readString(file).trim());
      Thread.sleep(20);
      Files.writeString(file, String.valueOf(number + 1));
      client.releaseLock(lock);
    }
    client.close();
  }
}
