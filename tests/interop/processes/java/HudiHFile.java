import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.io.ByteArraySeekableDataInputStream;
import org.apache.hudi.io.ByteBufferBackedInputStream;
import org.apache.hudi.io.compress.CompressionCodec;
import org.apache.hudi.io.hfile.HFileContext;
import org.apache.hudi.io.hfile.HFileReaderImpl;
import org.apache.hudi.io.hfile.HFileWriterImpl;
import org.apache.hudi.io.hfile.KeyValue;
import org.apache.hudi.io.hfile.UTF8StringKey;

/** Writes and reads HFiles with Hudi's own code, as Hudi 1.1 and later do. */
public class HudiHFile {
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("read")) {
      byte[] content = Files.readAllBytes(Paths.get(arguments[1]));
      HFileReaderImpl reader = open(content);
      for (boolean more = reader.seekTo(); more; more = reader.next()) {
        KeyValue cell = reader.getKeyValue().get();
        byte[] bytes = cell.getBytes();
        System.out.println(
            hex(Arrays.copyOfRange(bytes, cell.getKeyContentOffset(), cell.getKeyContentOffset() + cell.getKeyContentLength()))
                + "\t" + hex(Arrays.copyOfRange(bytes, cell.getValueOffset(), cell.getValueOffset() + cell.getValueLength())));
      }
      for (String name : Arrays.copyOfRange(arguments, 2, arguments.length)) {
        Option<ByteBuffer> meta = reader.getMetaBlock(name);
        Option<byte[]> info = reader.getMetaInfo(new UTF8StringKey(name));
        HFileReaderImpl other = open(content);
        other.seekTo();
        int found = other.seekTo(new UTF8StringKey(name));
        System.out.println(name + "\t" + (meta.isPresent() ? StandardCharsets.UTF_8.decode(meta.get()) : "-") + "\t"
            + (info.isPresent() ? hex(info.get()) : "-") + "\t" + found);
      }
      return;
    }
    HFileContext context = HFileContext.builder()
        .blockSize(Integer.parseInt(arguments[3]))
        .compressionCodec(CompressionCodec.valueOf(arguments[2]))
        .fileCreationTime(0)
        .build();
    try (HFileWriterImpl writer = new HFileWriterImpl(context, new FileOutputStream(arguments[1]))) {
      for (int i = 0; i < Integer.parseInt(arguments[5]); i++) {
        String value = String.format("value-%06d", i).repeat(i % 7);
        writer.append(String.format("key-%06d", i), value.getBytes(StandardCharsets.UTF_8));
      }
      writer.appendMetaInfo("note", "a meta block".getBytes(StandardCharsets.UTF_8));
      writer.appendFileInfo("schema", "the schema".getBytes(StandardCharsets.UTF_8));
    }
  }

  static HFileReaderImpl open(byte[] content) throws Exception {
    HFileReaderImpl reader = new HFileReaderImpl(
        new ByteArraySeekableDataInputStream(new ByteBufferBackedInputStream(content)), content.length);
    reader.initializeMetadata();
    return reader;
  }

  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      text.append(String.format("%02x", b));
    }
    return text.toString();
  }
}
