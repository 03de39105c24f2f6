import type { FileHandle, TimedOperation, LoadRequest, Turn } from 'k6/x/touchstone'
import { OPERATIONS } from '../../contract/facts.ts'
import type { LoadSettings } from './load-settings.ts'
import { getUnitsPerToken } from './credits.ts'
import { getMaxPromptTokens, createNonce, buildPrompt, createWords } from './prompts.ts'

/** Properties of a request that differ within a script. */
export interface PlannedRequest {
  readonly index: number
  readonly promptTokens?: number | null
  readonly outputTokens?: number | null
  readonly turn?: Turn
}

/** Values that all requests of a script share. */
export interface ScriptContext {
  readonly settings: LoadSettings
  /** API key, or undefined for a service without keys. Requests then have no Authorization header. */
  readonly key: string | undefined
  /** Headers that the user adds to every request, keyed by name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly audio?: FileHandle
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
  const body = chatBody(sender.settings, wanted)
  return {
    ...json('chat', 'chat', sender, wanted, body),
    ...nonceField(sender.settings, wanted),
    ...costOf(sender.settings, body),
  }
}

function streamRequest(sender: ScriptContext, wanted: PlannedRequest): LoadRequest {
  const { settings } = sender
  const body = {
    ...chatBody(settings, wanted),
    stream: true,
    ...(!settings.streamUsage ? {} : { stream_options: { include_usage: true } }),
  }
  const { contentPath, tokenPerEvent } = settings
  const stream = {
    ...(contentPath === undefined ? {} : { contentPath }),
    ...(tokenPerEvent === undefined ? {} : { tokenPerEvent }),
  }
  return {
    ...json('chat-stream', 'chat', sender, wanted, body),
    stream,
    ...nonceField(settings, wanted),
    ...costOf(settings, body),
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

interface ChatBody extends JsonBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly max_tokens: number
}

function chatBody(settings: LoadSettings, wanted: PlannedRequest): ChatBody {
  const { seed, echo = false } = settings
  const content = buildPrompt(seed, wanted.index, promptWordsOf(settings, wanted), echo)
  return {
    model: settings.models.chat,
    messages: [{ role: 'user', content }],
    max_tokens: wanted.outputTokens ?? settings.maxTokens,
  }
}

/**
 * Returns the maximum cost of a request. Returns no cost without a spend limit, or if the specification has no price
 * for the model.
 */
function costOf({ extension }: LoadSettings, { model, messages, max_tokens }: ChatBody): Pick<LoadRequest, 'cost'> {
  const price = extension.maxUnits === undefined ? undefined : getUnitsPerToken(model)
  if (price === undefined) return {}
  const prompts = messages.reduce((sum, { content }) => sum + getMaxPromptTokens(content), 0)
  return { cost: { unitsPerToken: price, maxTokens: prompts + max_tokens } }
}

/** Returns the number of words for a prompt. Assumes one token per word to match the prompt tokens of a trace. */
function promptWordsOf({ promptWords }: LoadSettings, { promptTokens }: PlannedRequest): number {
  return promptTokens ?? promptWords
}

function nonceField({ seed, echo }: LoadSettings, { index }: PlannedRequest): { nonce?: string } {
  return echo === true ? { nonce: createNonce(seed, index) } : {}
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
  { turn }: PlannedRequest,
): LoadRequest {
  const { method, path } = OPERATIONS[endpoint]
  return {
    operation,
    method,
    url: settings.target + path,
    headers: { ...headers, ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
    timeoutMs: settings.timeoutMs,
    ...(turn === undefined ? {} : { turn }),
  }
}
