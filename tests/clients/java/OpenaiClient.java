import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.audio.speech.SpeechCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageToolCall;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.images.ImageGenerateParams;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

final class OpenaiClient {
  static final OpenAIClient CLIENT = createClient(Scenario.KEY);

  static class Weather {
    public String city;
    public int celsius;
  }

  @JsonTypeName("get_weather")
  @JsonClassDescription("Returns the weather in a city.")
  static class GetWeather {
    public String city;
  }

  static OpenAIClient createClient(String key) {
    return OpenAIOkHttpClient.builder().baseUrl(Scenario.URL).apiKey(key).build();
  }

  static ChatCompletionCreateParams.Builder prompt(String model, String text) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage(text);
  }

  static String ask(String key, String text) {
    ChatCompletion completion = createClient(key).chat().completions().create(prompt(Scenario.MODEL, text).build());
    return completion.choices().get(0).message().content().orElse("");
  }

  static int statusOf(Runnable call) {
    try {
      call.run();
      return 200;
    } catch (OpenAIServiceException error) {
      return error.statusCode();
    }
  }

  static Stream<String> texts(StreamResponse<ChatCompletionChunk> chunks) {
    return chunks.stream()
        .flatMap(chunk -> chunk.choices().stream())
        .flatMap(choice -> choice.delta().content().stream())
        .filter(text -> !text.isEmpty());
  }

  static String read(String model, String text) {
    try (StreamResponse<ChatCompletionChunk> chunks =
        CLIENT.chat().completions().createStreaming(prompt(model, text).build())) {
      return texts(chunks).collect(Collectors.joining());
    }
  }

  static String abort() {
    try (StreamResponse<ChatCompletionChunk> chunks =
        CLIENT.chat().completions().createStreaming(prompt(Scenario.SLOW_MODEL, Scenario.COUNT).build())) {
      return texts(chunks).findFirst().orElse("");
    }
  }

  static Scenario.ToolLoop loop(Function<ChatCompletionCreateParams, ChatCompletion> next) throws Exception {
    ChatCompletionCreateParams.Builder params = prompt(Scenario.MODEL, Scenario.ASK_WEATHER).addTool(GetWeather.class);
    List<Object> calls = new ArrayList<>();
    while (true) {
      ChatCompletionMessage message = next.apply(params.build()).choices().get(0).message();
      List<ChatCompletionMessageToolCall> toolCalls = message.toolCalls().orElse(List.of());
      if (toolCalls.isEmpty()) return new Scenario.ToolLoop(calls, message.content().orElse(""));
      params.addMessage(message);
      for (ChatCompletionMessageToolCall call : toolCalls) {
        calls.add(Scenario.JSON.readTree(call.asFunction().function().arguments()));
        params.addMessage(
            ChatCompletionToolMessageParam.builder().toolCallId(call.asFunction().id()).content("21 degrees").build());
      }
    }
  }

  static ChatCompletion stream(ChatCompletionCreateParams params) {
    ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
    try (StreamResponse<ChatCompletionChunk> chunks = CLIENT.chat().completions().createStreaming(params)) {
      chunks.stream().forEach(accumulator::accumulate);
    }
    return accumulator.chatCompletion();
  }

  static Weather structured() {
    var params = prompt(Scenario.MODEL, Scenario.ASK_JSON).responseFormat(Weather.class).build();
    return CLIENT.chat().completions().create(params).choices().get(0).message().content().orElseThrow();
  }

  static String image() throws Exception {
    ImageGenerateParams params =
        ImageGenerateParams.builder()
            .model(Scenario.MEDIA_MODEL)
            .prompt("a harbor")
            .size(ImageGenerateParams.Size._512X512)
            .build();
    String url = CLIENT.images().generate(params).data().orElseThrow().get(0).url().orElseThrow();
    try (InputStream image = URI.create(url).toURL().openStream()) {
      return new String(image.readAllBytes(), 1, 3, StandardCharsets.ISO_8859_1);
    }
  }

  static String audio() throws Exception {
    SpeechCreateParams params =
        SpeechCreateParams.builder()
            .model(Scenario.MEDIA_MODEL)
            .input("The rain has stopped.")
            .voice("alloy")
            .build();
    try (HttpResponse speech = CLIENT.audio().speech().create(params)) {
      TranscriptionCreateParams file =
          TranscriptionCreateParams.builder()
              .model(Scenario.SLOW_MODEL)
              .file(MultipartField.<InputStream>builder().value(speech.body()).filename("speech.mp3").build())
              .build();
      return CLIENT.audio().transcriptions().create(file).asTranscription().text();
    }
  }

  public static void main(String[] arguments) throws Exception {
    Scenario scenario = new Scenario();
    scenario.run(
        "models", () -> CLIENT.models().list().autoPager().stream().anyMatch(it -> it.id().equals(Scenario.MODEL)));
    scenario.run("chat", () -> ask(Scenario.KEY, Scenario.HELLO));
    scenario.run("stream", () -> read(Scenario.MODEL, Scenario.HELLO));
    scenario.run("wrong_key", () -> statusOf(() -> ask(Scenario.WRONG_KEY, Scenario.HELLO)));
    scenario.run("no_credits", () -> statusOf(() -> ask(Scenario.NO_CREDITS_KEY, Scenario.HELLO)));
    scenario.run("retries", () -> ask(Scenario.KEY, Scenario.FAIL_ONCE));
    scenario.run("broken_stream", () -> Scenario.outcomeOf(() -> read(Scenario.BREAKING_MODEL, Scenario.HELLO)));
    scenario.run("abort", OpenaiClient::abort);
    scenario.run("tools", () -> loop(params -> CLIENT.chat().completions().create(params)));
    scenario.run("streamed_tools", () -> loop(OpenaiClient::stream));
    scenario.run("structured", OpenaiClient::structured);
    scenario.run("image", OpenaiClient::image);
    scenario.run("audio", OpenaiClient::audio);
    scenario.runForms(text -> read(Scenario.MODEL, text));
    scenario.print();
  }
}
