import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.TokenStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

final class Langchain4jClient {
  record Weather(String city, int celsius) {}

  interface Assistant {
    String answer(String question);
  }

  interface StreamingAssistant {
    TokenStream answer(String question);
  }

  interface Extractor {
    Weather extract(String question);
  }

  static final class WeatherTool {
    final List<Object> calls = new ArrayList<>();

    @Tool(name = "get_weather", value = "Returns the weather in a city.")
    String getWeather(@P("city") String city) {
      calls.add(Map.of("city", city));
      return "21 degrees";
    }
  }

  static OpenAiChatModel.OpenAiChatModelBuilder model(String key) {
    return OpenAiChatModel.builder().baseUrl(Scenario.URL).apiKey(key).modelName(Scenario.MODEL);
  }

  static OpenAiStreamingChatModel streamingModel(String model) {
    return OpenAiStreamingChatModel.builder().baseUrl(Scenario.URL).apiKey(Scenario.KEY).modelName(model).build();
  }

  static Object statusOf(String key) {
    try {
      return model(key).build().chat(Scenario.HELLO);
    } catch (RuntimeException error) {
      for (Throwable cause = error; cause != null; cause = cause.getCause()) {
        if (cause instanceof HttpException http) return http.statusCode();
      }
      return String.valueOf(error);
    }
  }

  /** Reads a stream, and cancels it after the first text if `first` is true. */
  static String read(String model, String text, boolean first) throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    streamingModel(model)
        .chat(
            text,
            new StreamingChatResponseHandler() {
              final StringBuilder joined = new StringBuilder();

              @Override
              public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
                joined.append(part.text());
                if (first) {
                  context.streamingHandle().cancel();
                  result.complete(joined.toString());
                }
              }

              @Override
              public void onCompleteResponse(ChatResponse response) {
                result.complete(joined.toString());
              }

              @Override
              public void onError(Throwable error) {
                result.completeExceptionally(error);
              }
            });
    return result.get(60, TimeUnit.SECONDS);
  }

  static Scenario.ToolLoop loop() {
    WeatherTool tool = new WeatherTool();
    Assistant assistant =
        AiServices.builder(Assistant.class).chatModel(model(Scenario.KEY).build()).tools(tool).build();
    String text = assistant.answer(Scenario.ASK_WEATHER);
    return new Scenario.ToolLoop(tool.calls, text);
  }

  static Scenario.ToolLoop streamedLoop() throws Exception {
    WeatherTool tool = new WeatherTool();
    StreamingAssistant assistant =
        AiServices.builder(StreamingAssistant.class)
            .streamingChatModel(streamingModel(Scenario.MODEL))
            .tools(tool)
            .build();
    StringBuilder joined = new StringBuilder();
    CompletableFuture<String> result = new CompletableFuture<>();
    assistant
        .answer(Scenario.ASK_WEATHER)
        .onPartialResponse(joined::append)
        .onCompleteResponse(response -> result.complete(joined.toString()))
        .onError(result::completeExceptionally)
        .start();
    return new Scenario.ToolLoop(tool.calls, result.get(60, TimeUnit.SECONDS));
  }

  static Weather structured() {
    OpenAiChatModel model =
        model(Scenario.KEY)
            .supportedCapabilities(Capability.RESPONSE_FORMAT_JSON_SCHEMA)
            .strictJsonSchema(true)
            .build();
    return AiServices.create(Extractor.class, model).extract(Scenario.ASK_JSON);
  }

  public static void main(String[] arguments) throws Exception {
    Scenario scenario = new Scenario();
    scenario.run("chat", () -> model(Scenario.KEY).build().chat(Scenario.HELLO));
    scenario.run("stream", () -> read(Scenario.MODEL, Scenario.HELLO, false));
    scenario.run("wrong_key", () -> statusOf(Scenario.WRONG_KEY));
    scenario.run("no_credits", () -> statusOf(Scenario.NO_CREDITS_KEY));
    scenario.run("retries", () -> model(Scenario.KEY).build().chat(Scenario.FAIL_ONCE));
    scenario.run(
        "broken_stream", () -> Scenario.outcomeOf(() -> read(Scenario.BREAKING_MODEL, Scenario.HELLO, false)));
    scenario.run("abort", () -> read(Scenario.SLOW_MODEL, Scenario.COUNT, true));
    scenario.run("tools", Langchain4jClient::loop);
    scenario.run("streamed_tools", Langchain4jClient::streamedLoop);
    scenario.run("structured", Langchain4jClient::structured);
    scenario.runForms(text -> read(Scenario.MODEL, text, false));
    scenario.print();
  }
}
