import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../../emulator/state/latency.ts'
import { createForms, createPauses } from '../../emulator/tests/support/forms.ts'

/** A task that client programs perform with an emulator, and the result that they must print. */
export interface Scenario {
  /** Name of the scenario in the output of a program. */
  readonly id: string
  /** Heading of the column in the table of `docs/reference/clients.md`. */
  readonly title: string
  readonly expected: unknown
}

const WEATHER = { city: 'Paris', celsius: 21 }
const TOOL_LOOP = { calls: [{ city: 'Paris' }], text: 'It is 21 degrees in Paris.' }

/** All scenarios, in the order of the columns. */
export const SCENARIOS: readonly Scenario[] = [
  { id: 'models', title: 'models', expected: true },
  { id: 'chat', title: 'chat', expected: 'Hello from the emulator.' },
  { id: 'stream', title: 'stream', expected: 'Hello from the emulator.' },
  { id: 'wrong_key', title: '401', expected: 401 },
  { id: 'no_credits', title: '402', expected: 402 },
  { id: 'retries', title: '429, then 200', expected: 'Second time lucky.' },
  { id: 'broken_stream', title: 'broken stream', expected: 'raised' },
  { id: 'abort', title: 'abort', expected: 'One' },
  { id: 'tools', title: 'tool loop', expected: TOOL_LOOP },
  { id: 'streamed_tools', title: 'streamed tool loop', expected: TOOL_LOOP },
  { id: 'structured', title: 'structured output', expected: WEATHER },
  { id: 'image', title: 'image', expected: 'PNG' },
  { id: 'audio', title: 'speech, transcription', expected: 'The rain has stopped.' },
]

/** Forms of a stream with JSON chunks: each option alone, and random combinations. No client reads chunks of plain text. */
export const FORMS = createForms(process.env['TOUCHSTONE_LONG'] === '1' ? 200 : 20).filter(
  ({ options }) => options['chunk-shape'] !== 'text',
)

/** Text of the streams of all forms. It has several scripts, and characters that JSON escapes. */
export const FORM_TEXT = 'Grüße — 你好, नमस्ते, مرحبا, 👩‍💻👍🏽: "C:\\temp"\n```js\nlet a\n```'

/** Returns the message to which the emulator responds with a stream of this form. */
export function createFormMessage(name: string): string {
  return `Use the form ${name}.`
}

/** Model whose streams end after four events because of an injected fault. */
const BREAKING_MODEL = 'vendora-v4-pro'
/** Model with 50 ms between tokens, so that a client can abort a stream in progress. */
export const SLOW_MODEL = 'o3-mini'

const ASKS_FOR_JSON = { matches: 'Give the weather in Paris' }

/** Options of the emulator. Each client program runs with its own emulator. */
export const SCENARIO_EMULATOR: EmulatorOptions = {
  latency: {
    ...LATENCY_PROFILES.instant,
    byModel: { [SLOW_MODEL]: { ttft: createFixedDelay(0), itl: createFixedDelay(50) } },
  },
  faults: [{ model: BREAKING_MODEL, cutAfterEvents: 4 }],
  fixtures: [
    ...FORMS.map((form) => ({
      message: createFormMessage(form.name),
      text: FORM_TEXT,
      ...(form.options.reasoning === undefined ? {} : { reasoning: 'Let me think…' }),
      options: form.options,
      ...createPauses(form),
    })),
    { message: { matches: 'Say hello' }, text: 'Hello from the emulator.' },
    {
      message: { matches: 'Fail once' },
      attempts: [
        {
          status: 429,
          headers: { 'retry-after': '1' }, // LangChain.js retries a 429 only with this header.
          body: {
            error: { message: 'Slow down.', type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' },
          },
        },
        { text: 'Second time lucky.' },
      ],
    },
    { message: { matches: 'Count to a hundred' }, text: `One${' and one more'.repeat(100)}` },
    {
      message: { matches: 'What is the weather in Paris' },
      steps: [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] }, { text: TOOL_LOOP.text }],
    },
    // Some frameworks request structured output through a tool, whose name is the type's name or a different one.
    ...['Weather', 'final_result'].map((name) => ({
      message: ASKS_FOR_JSON,
      tools: [name],
      toolCalls: [{ name, arguments: WEATHER }],
    })),
    { message: ASKS_FOR_JSON, json: WEATHER },
  ],
}
