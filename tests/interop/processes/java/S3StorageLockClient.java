package org.apache.hudi.aws.transaction.lock;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Properties;
import org.apache.hudi.client.transaction.lock.StorageLockClient;
import org.apache.hudi.client.transaction.lock.models.LockGetResult;
import org.apache.hudi.client.transaction.lock.models.LockUpsertResult;
import org.apache.hudi.client.transaction.lock.models.StorageLockData;
import org.apache.hudi.client.transaction.lock.models.StorageLockFile;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/**
 * Conditional writes to an S3 server that accepts every client.
 *
 * Hudi's provider loads a class of this name; Hudi's own one is in no artifact of Maven that has the provider as well.
 */
public class S3StorageLockClient implements StorageLockClient {
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI file;

  public S3StorageLockClient(String ownerId, String lockFileUri, Properties props) {
    file = address(lockFileUri);
  }

  static URI address(String uri) {
    return URI.create(System.getProperty("s3.endpoint") + "/" + uri.replaceFirst("^s3a?://", ""));
  }

  @Override
  public Pair<LockUpsertResult, Option<StorageLockFile>> tryUpsertLockFile(
      StorageLockData data, Option<StorageLockFile> previous) {
    HttpRequest.Builder put = request(file)
        .PUT(HttpRequest.BodyPublishers.ofByteArray(StorageLockFile.toByteArray(data)));
    put = previous.isPresent() ? put.header("If-Match", previous.get().getVersionId()) : put.header("If-None-Match", "*");
    HttpResponse<byte[]> answer = send(put.build());
    if (answer.statusCode() == 200) {
      StorageLockFile written = new StorageLockFile(data, tag(answer));
      return Pair.of(LockUpsertResult.SUCCESS, Option.of(written));
    }
    LockUpsertResult result =
        answer.statusCode() == 412 ? LockUpsertResult.ACQUIRED_BY_OTHERS : LockUpsertResult.UNKNOWN_ERROR;
    return Pair.of(result, Option.empty());
  }

  @Override
  public Pair<LockGetResult, Option<StorageLockFile>> readCurrentLockFile() {
    HttpResponse<byte[]> answer = send(request(file).build());
    if (answer.statusCode() == 404) {
      return Pair.of(LockGetResult.NOT_EXISTS, Option.empty());
    }
    if (answer.statusCode() != 200) {
      return Pair.of(LockGetResult.UNKNOWN_ERROR, Option.empty());
    }
    ByteArrayInputStream body = new ByteArrayInputStream(answer.body());
    return Pair.of(LockGetResult.SUCCESS, Option.of(StorageLockFile.createFromStream(body, tag(answer))));
  }

  @Override
  public Option<String> readObject(String path, boolean checkExistsFirst) {
    HttpResponse<byte[]> answer = send(request(address(path)).build());
    return answer.statusCode() == 200 ? Option.of(new String(answer.body())) : Option.empty();
  }

  @Override
  public boolean writeObject(String path, String content) {
    HttpRequest put = request(address(path)).PUT(HttpRequest.BodyPublishers.ofString(content)).build();
    return send(put).statusCode() == 200;
  }

  @Override
  public void close() {}

  /** The server requires the form of a signature, and does not verify it. */
  private static HttpRequest.Builder request(URI uri) {
    String scope = "AKIAHOODOOTESTS/20240101/us-east-1/s3/aws4_request";
    String form = "AWS4-HMAC-SHA256 Credential=" + scope + ", SignedHeaders=host, Signature=none";
    return HttpRequest.newBuilder(uri).header("Authorization", form);
  }

  private static String tag(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue("ETag").orElseThrow();
  }

  private HttpResponse<byte[]> send(HttpRequest request) {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
