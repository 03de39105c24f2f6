import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'
import type { SeededRandom } from '../../state/seeded-random.ts'
import type { ChatOptions } from '../chat-options.ts'
import type { RequestClient, ScriptedMessage } from '../operation.ts'
import { getCorpus, type CorpusName } from '../text/corpus.ts'
import type { GenerationTask } from './generate-json.ts'
import { UnsupportedSchemaError } from './prepare-schema.ts'

/** Number of tokens in the text of a JSON object without a schema, and in the input of a custom tool. */
const TEXT_TOKENS = 8

/**
 * Generates a message with a tool call or JSON.
 * @returns undefined for a message of ordinary text, or an error for an unsupported schema (400) or a full queue (429)
 */
export type MessageGenerator = (
  random: SeededRandom,
) => ScriptedMessage | ApiError | undefined | Promise<ScriptedMessage | ApiError>

/**
 * Creates the function that generates the messages of a request. Returns undefined if all messages consist of ordinary
 * text.
 * @param autoCallPercent percentage of messages with a tool call in the mode `auto`
 * @param corpus source of texts without restrictions
 */
export function createMessageGenerator(
  { tools, format, maxTokens }: ChatOptions,
  autoCallPercent: number,
  corpus: CorpusName,
  client: RequestClient,
): MessageGenerator | undefined {
  const { error } = tools
  if (error !== undefined) return () => error
  const callPercent = tools.mode === 'required' ? 100 : tools.mode === 'auto' ? autoCallPercent : 0
  const mayCall = callPercent > 0 && tools.functions.length > 0
  if (!mayCall && format.type === 'text') return undefined
  if (!mayCall && format.type === 'json_object') return (random) => createJsonObject(corpus, random)
  return (random) => {
    const isCalled = mayCall && (callPercent === 100 || random.integerBelow(100) < callPercent)
    const called = isCalled ? tools.functions[random.integerBelow(tools.functions.length)] : undefined
    if (called !== undefined) {
      const { name, parameters, isCustom } = called
      if (isCustom) return { toolCalls: [{ name, arguments: generateText(corpus, random), isCustom }] }
      const generated = generateFromSchema({ schema: parameters, corpus, maxTokens: maxTokens - 1 }, random, client)
      const subject = `The schema of the arguments of '${name}'`
      return createMessage('tools', subject, generated, (json) => ({ toolCalls: [{ name, arguments: json }] }))
    }
    if (format.type === 'text') return undefined
    if (!('schema' in format)) return createJsonObject(corpus, random)
    const generated = generateFromSchema({ schema: format.schema, corpus, maxTokens }, random, client)
    return createMessage('response_format', "The schema in 'response_format'", generated, (text) => ({ text }))
  }
}

async function generateFromSchema(
  task: Omit<GenerationTask, 'seed'>,
  random: SeededRandom,
  client: RequestClient,
): Promise<string | ApiError> {
  const seed = random.integerBelow(2 ** 31) // Drawn before the first `await`, so that the order of draws is constant.
  const { generateInThread } = await import('./generate-in-thread.ts')
  return generateInThread({ ...task, seed }, client)
}

async function createMessage(
  parameter: string,
  subject: string,
  generated: Promise<string | ApiError>,
  toMessage: (json: string) => ScriptedMessage,
): Promise<ScriptedMessage | ApiError> {
  try {
    const json = await generated
    return isApiError(json) ? json : toMessage(json)
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return createParameterError(parameter, `${subject} ${error.message}.`)
    throw error
  }
}

function createJsonObject(corpus: CorpusName, random: SeededRandom): ScriptedMessage {
  return { text: JSON.stringify({ answer: generateText(corpus, random) }) }
}

function generateText(name: CorpusName, random: SeededRandom): string {
  const corpus = getCorpus(name)
  return corpus.getPassage(random.integerBelow(corpus.tokenCount), TEXT_TOKENS)
}
