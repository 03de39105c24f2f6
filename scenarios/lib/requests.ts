import type { FileHandle, TimedOperation, LoadRequest, Turn } from 'k6/x/touchstone'
import { OPERATIONS } from '../../contract/facts.ts'
import type { LoadSettings } from './load-settings.ts'
import { getUnitsPerToken } from './credits.ts'
import { buildChat, type PlannedChat, selectStreamOptions } from './chat-body.ts'
import type { FilePrompt } from './prompt-file.ts'
import { createNonce, createWords } from './prompts.ts'

/** Properties of a request that differ within a script. */
export interface PlannedRequest {
  readonly index: number
  readonly promptTokens?: number | null
  readonly outputTokens?: number | null
  readonly turn?: Turn
  readonly isWarmUp?: boolean
}

/** Values that all requests of a script share. */
export interface ScriptContext {
  readonly settings: LoadSettings
  /** API key, or undefined for a service without keys. Requests then have no Authorization header. */
  readonly key: string | undefined
  /** Headers that the user adds to every request, keyed by name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly audio?: FileHandle
  /** Requests of the prompts file. */
  readonly prompts?: readonly FilePrompt[]
}

type JsonBody = { readonly model: string } & Readonly<Record<string, unknown>>

/** Builds a request of an operation (sections 4.1 to 4.5). */
export function buildRequest(operation: TimedOperation, sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  switch (operation) {
    case 'models':
      return common('models', 'models', sender, wanted)
    case 'chat':
      return chatRequest(sender, wanted)
    case 'chat-stream':
      return streamRequest(sender, wanted)
    case 'images':
      return imagesRequest(sender, wanted)
    case 'transcriptions':
      return transcriptionRequest(sender, wanted)
    case 'speech':
      return speechRequest(sender, wanted)
  }
}

function chatRequest(sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  const chat = buildChat(sender.settings, sender.prompts ?? [], wanted)
  return {
    ...json('chat', 'chat', sender, wanted, chat.body),
    ...costOf(sender.settings, chat),
  }
}

function streamRequest(sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  const { settings } = sender
  const chat = buildChat(settings, sender.prompts ?? [], wanted)
  const options = selectStreamOptions(settings)
  const body = { ...chat.body, stream: true, ...(options === null ? {} : { stream_options: options }) }
  return {
    ...json('chat-stream', 'chat', sender, wanted, body),
    stream: {},
    ...costOf(settings, chat),
  }
}

function imagesRequest(sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  const { settings } = sender
  const prompt = `A painting of ${createWords(settings.seed, wanted.index, 8)}, ${createNonce(settings.seed, wanted.index)}`
  return json('images', 'images', sender, wanted, { model: settings.models.images, prompt, n: 1 })
}

function speechRequest(sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  const { settings } = sender
  const input = createWords(settings.seed, wanted.index, promptWordsOf(settings, wanted))
  return json('speech', 'speech', sender, wanted, { model: settings.models.speech, input })
}

function transcriptionRequest(sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  const { settings, audio } = sender
  if (audio === undefined) throw new Error('A transcription needs the audio that it uploads.')
  const model = settings.models.transcriptions
  const file = { field: 'file', handle: audio, name: 'tone.wav', type: 'audio/wav' }
  return { ...common('transcriptions', 'transcriptions', sender, wanted), model, body: { fields: { model }, file } }
}

/**
 * Returns the maximum cost of a request. Returns no cost without a spend limit, or if the specification has no price
 * for the model.
 */
function costOf({ extension, models }: LoadSettings, chat: PlannedChat): Pick<LoadRequest, 'cost'> {
  const price = extension.maxUnits === undefined ? undefined : getUnitsPerToken(models.chat)
  if (price === undefined) return {}
  return { cost: { unitsPerToken: price, maxTokens: chat.maxPromptTokens + chat.maxCompletionTokens } }
}

/** Returns the number of words for a prompt. Assumes one token per word to match the prompt tokens of a trace. */
function promptWordsOf({ promptWords }: LoadSettings, { promptTokens }: PlannedRequest): number {
  return promptTokens ?? promptWords
}

function json(
  operation: TimedOperation,
  endpoint: keyof typeof OPERATIONS,
  sender: ScriptContext,
  wanted: PlannedRequest,
  body: JsonBody,
): LoadRequest {
  const request = common(operation, endpoint, sender, wanted)
  const headers = { ...request.headers, 'Content-Type': 'application/json' }
  return { ...request, headers, model: body.model, body: JSON.stringify(body) }
}

function common(
  operation: TimedOperation,
  endpoint: keyof typeof OPERATIONS,
  { settings, key, headers }: ScriptContext,
  { turn, isWarmUp = false }: PlannedRequest,
): LoadRequest {
  const { method, path } = OPERATIONS[endpoint]
  return {
    operation,
    ...(isWarmUp ? { isWarmUp } : {}),
    method,
    url: settings.target + path,
    headers: { ...headers, ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
    timeoutMs: settings.timeoutMs,
    ...(turn === undefined ? {} : { turn }),
  }
}
