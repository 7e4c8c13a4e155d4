import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Prints the configuration keys of a bundle, one per line: the key, then its alternatives, with tabs between them. */
public class ConfigKeys {
  private static final String PROPERTY = "org.apache.hudi.common.config.ConfigProperty";

  public static void main(String[] arguments) throws Exception {
    Class<?> property = Class.forName(PROPERTY);
    try (JarFile jar = new JarFile(arguments[0])) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (name.startsWith("org/apache/hudi/") && name.endsWith(".class")) {
          print(name.substring(0, name.length() - ".class".length()).replace('/', '.'), property);
        }
      }
    }
  }

  private static void print(String name, Class<?> property) throws ReflectiveOperationException {
    List<Field> fields = new ArrayList<>();
    try {
      Class<?> type = Class.forName(name, false, ConfigKeys.class.getClassLoader());
      for (Field field : type.getDeclaredFields()) {
        if (property.isAssignableFrom(field.getType())) {
          fields.add(field);
        }
      }
      for (Field field : fields) {
        print(field, type, property);
      }
    } catch (NoClassDefFoundError | ExceptionInInitializerError error) {
      // a class of a part that the bundle does not have; it is reported if it has keys
      if (!fields.isEmpty() || name.endsWith("Config")) {
        System.err.println(name + ": " + error);
      }
    }
  }

  private static void print(Field field, Class<?> type, Class<?> property) throws ReflectiveOperationException {
    field.setAccessible(true);
    Object owner = null;
    if (!Modifier.isStatic(field.getModifiers())) {
      if (!type.getName().endsWith("$")) {
        return;
      }
      owner = type.getField("MODULE$").get(null);
    }
    Object value = field.get(owner);
    if (value == null) {
      return;
    }
    List<String> words = new ArrayList<>();
    words.add(String.valueOf(property.getMethod("key").invoke(value)));
    Object others = property.getMethod("getAlternatives").invoke(value);
    Collection<?> alternatives = others instanceof Object[] ? Arrays.asList((Object[]) others) : (Collection<?>) others;
    for (Object alternative : alternatives) {
      words.add(String.valueOf(alternative));
    }
    System.out.println(String.join("\t", words));
  }
}
