import { countTokens } from './text/count-tokens.ts'

/** Names of the transcription formats that common services offer. */
export const TRANSCRIPTION_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

export type TranscriptionFormat = (typeof TRANSCRIPTION_FORMATS)[number]

/** A transcription, with the durations from which timestamps are computed. */
export interface Transcription {
  readonly text: string
  readonly durationMs: number
  readonly language: string | undefined
  /** True if `verbose_json` includes a timestamp for each word. */
  readonly hasWords: boolean
}

/**
 * Renders a transcription in one of the formats. The duration of each sentence and word is proportional to its tokens.
 */
export function renderTranscription(
  transcription: Transcription,
  format: TranscriptionFormat,
): { readonly contentType: string; readonly body: string } {
  const { text, durationMs } = transcription
  const plain = 'text/plain; charset=utf-8'
  switch (format) {
    case 'json':
      return { contentType: 'application/json', body: JSON.stringify({ text }) }
    case 'text':
      return { contentType: plain, body: `${text}\n` }
    case 'srt': {
      const cues = timeParts(splitSentences(text), durationMs).map(
        ({ part, startMs, endMs }, index) =>
          `${index + 1}\n${formatTime(startMs, ',')} --> ${formatTime(endMs, ',')}\n${formatCueText(part)}\n\n`,
      )
      return { contentType: plain, body: cues.join('') }
    }
    case 'vtt': {
      const cues = timeParts(splitSentences(text), durationMs).map(
        ({ part, startMs, endMs }) =>
          `${formatTime(startMs, '.')} --> ${formatTime(endMs, '.')}\n${formatCueText(part)}\n\n`,
      )
      return { contentType: plain, body: `WEBVTT\n\n${cues.join('')}` }
    }
    case 'verbose_json':
      return { contentType: 'application/json', body: JSON.stringify(createVerboseObject(transcription)) }
  }
}

function createVerboseObject({ text, durationMs, language, hasWords }: Transcription) {
  const segments = timeParts(splitSentences(text), durationMs).map(({ part, startMs, endMs }, id) => ({
    id,
    seek: 0,
    start: startMs / 1000,
    end: endMs / 1000,
    text: part,
    tokens: [],
    temperature: 0,
    avg_logprob: 0,
    compression_ratio: 1,
    no_speech_prob: 0,
  }))
  const words = timeParts(text.split(/\s+/).filter(Boolean), durationMs).map(({ part, startMs, endMs }) => ({
    word: part,
    start: startMs / 1000,
    end: endMs / 1000,
  }))
  return {
    task: 'transcribe',
    language: language ?? 'english',
    duration: durationMs / 1000,
    text,
    segments,
    ...(hasWords ? { words } : {}),
  }
}

/** Splits text after the punctuation marks that end a sentence. The concatenated sentences equal the text. */
function splitSentences(text: string): readonly string[] {
  return text.match(/[^.!?]+[.!?]*|[.!?]+/g) ?? []
}

interface TimedPart {
  readonly part: string
  readonly startMs: number
  readonly endMs: number
}

function timeParts(parts: readonly string[], durationMs: number): readonly TimedPart[] {
  const tokens = parts.map(countTokens)
  const total = tokens.reduce((sum, count) => sum + count, 0)
  let before = 0
  return parts.map((part, index) => {
    const startMs = Math.round((durationMs * before) / total)
    before += tokens[index] ?? 0
    return { part, startMs, endMs: Math.round((durationMs * before) / total) }
  })
}

/**
 * Formats the text of a subtitle cue. Replaces each run of whitespace with one space, because an empty line would end
 * the cue. Shortens `-->`, which only separates times.
 */
function formatCueText(part: string): string {
  return part.replaceAll(/\s+/g, ' ').replaceAll('-->', '->').trim()
}

/** Formats a time as hours, minutes, seconds and milliseconds, for example `00:01:02,345`. */
function formatTime(ms: number, separator: ',' | '.'): string {
  return new Date(ms).toISOString().slice(11, 23).replace('.', separator)
}
