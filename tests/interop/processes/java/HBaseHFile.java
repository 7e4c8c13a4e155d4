import java.io.File;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.org.apache.hadoop.hbase.Cell;
import org.apache.hudi.org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hudi.org.apache.hadoop.hbase.CellUtil;
import org.apache.hudi.org.apache.hadoop.hbase.KeyValue;
import org.apache.hudi.org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hudi.org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hudi.org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hudi.org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hudi.org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hudi.org.apache.hadoop.hbase.io.hfile.HFileScanner;

/** Writes and reads HFiles with HBase, as Hudi before 1.1 does. */
public class HBaseHFile {
  public static void main(String[] arguments) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    configuration.set("fs.file.impl.disable.cache", "true");
    Path path = new Path(new File(arguments[1]).toURI());
    FileSystem files = path.getFileSystem(configuration);
    if (arguments[0].equals("read")) {
      try (HFile.Reader reader = HFile.createReader(files, path, new CacheConfig(configuration), true, configuration)) {
        HFileScanner scanner = reader.getScanner(false, false);
        for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
          Cell cell = scanner.getCell();
          System.out.println(hex(CellUtil.cloneRow(cell)) + "\t" + hex(CellUtil.cloneValue(cell)));
        }
      }
      return;
    }
    configuration.setInt("hfile.index.block.max.size", Integer.parseInt(arguments[4]));
    configuration.setInt("hfile.index.block.min.entries", 2);
    boolean isNumbered = Boolean.parseBoolean(arguments[6]);
    HFileContext context = new HFileContextBuilder()
        .withBlockSize(Integer.parseInt(arguments[3]))
        .withCompression(Compression.Algorithm.valueOf(arguments[2]))
        .withCellComparator(CellComparatorImpl.COMPARATOR)
        .withIncludesMvcc(isNumbered)
        .build();
    try (HFile.Writer writer = HFile.getWriterFactory(configuration, new CacheConfig(configuration))
        .withPath(files, path).withFileContext(context).create()) {
      for (int i = 0; i < Integer.parseInt(arguments[5]); i++) {
        KeyValue cell = new KeyValue(bytes(String.format("key-%06d", i)), null, null, value(i));
        cell.setSequenceId(isNumbered ? 100L * i * i : 0);
        writer.append(cell);
      }
      writer.appendFileInfo(bytes("schema"), bytes("the schema"));
    }
  }

  static byte[] value(int number) {
    return bytes(String.format("value-%06d", number).repeat(number % 7));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      text.append(String.format("%02x", b));
    }
    return text.toString();
  }
}
