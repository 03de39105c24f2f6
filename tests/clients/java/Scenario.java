import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Runs the scenarios of a client program and prints their results as one JSON object. */
final class Scenario {
  static final String URL = System.getenv("TOUCHSTONE_URL") + "/v1";
  static final String KEY = System.getenv("TOUCHSTONE_KEY");
  static final String NO_CREDITS_KEY = System.getenv("TOUCHSTONE_KEY_NO_CREDITS");
  static final String WRONG_KEY = "sk-svc-wrong-key";

  static final String MODEL = "vendora-v4-flash";
  static final String BREAKING_MODEL = "vendora-v4-pro";
  static final String SLOW_MODEL = "o3-mini";
  static final String MEDIA_MODEL = "vendorc-4o";

  static final String HELLO = "Say hello.";
  static final String FAIL_ONCE = "Fail once.";
  static final String COUNT = "Count to a hundred.";
  static final String ASK_WEATHER = "What is the weather in Paris?";
  static final String ASK_JSON = "Give the weather in Paris as JSON.";

  static final ObjectMapper JSON = new ObjectMapper();

  record ToolLoop(List<?> calls, String text) {}

  private final Map<String, Object> results = new LinkedHashMap<>();

  /** Runs a scenario. A result that is an error never equals the expected one. */
  void run(String name, Callable<?> scenario) {
    try {
      results.put(name, scenario.call());
    } catch (Exception error) {
      results.put(name, Map.of("error", String.valueOf(error)));
    }
  }

  interface Reader {
    String read(String message) throws Exception;
  }

  /** Reads a stream with the same text in each form. */
  void runForms(Reader reader) throws Exception {
    Map<String, Object> read = new LinkedHashMap<>();
    for (String form : JSON.readValue(System.getenv("TOUCHSTONE_FORMS"), String[].class)) {
      try {
        read.put(form, reader.read(form));
      } catch (Exception error) {
        read.put(form, Map.of("error", String.valueOf(error)));
      }
    }
    results.put("forms", read);
  }

  /** Prints the results and ends the program, also if a client's threads still run. */
  void print() throws Exception {
    System.out.println(JSON.writeValueAsString(results));
    System.exit(0);
  }

  static String outcomeOf(Callable<?> call) {
    try {
      return "ended without an error: " + call.call();
    } catch (Exception error) {
      return "raised";
    }
  }
}
