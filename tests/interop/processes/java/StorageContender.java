package org.apache.hudi.aws.transaction.lock;

import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.hudi.client.transaction.lock.StorageBasedLockProvider;
import org.apache.hudi.common.config.LockConfiguration;

/** Adds one to a number in S3, several times, each time under Hudi's storage-based lock. */
public class StorageContender {
  public static void main(String[] arguments) throws Exception {
    String table = arguments[0];
    int rounds = Integer.parseInt(arguments[1]);
    Properties options = new Properties();
    options.setProperty("hoodie.base.path", table);
    StorageBasedLockProvider provider = new StorageBasedLockProvider(new LockConfiguration(options), null);
    S3StorageLockClient store = new S3StorageLockClient("", table + "/unused", options);
    for (int round = 0; round < rounds; round++) {
      if (!provider.tryLock(120, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the lock was not obtained");
      }
      int number = Integer.parseInt(store.readObject(table + "/number", false).get());
      Thread.sleep(20);
      store.writeObject(table + "/number", String.valueOf(number + 1));
      provider.unlock();
    }
    provider.close();
  }
}
