import fc from 'fast-check'
import { describeExchange } from '../../conformance/evidence/describe-exchange.ts'
import { SecretMask } from '../../conformance/evidence/secrets.ts'
import type { Exchange } from '../../conformance/http/exchange.ts'
import { buildDocumentFields } from '../../conformance/findings/document-fields.ts'
import { createExcerpt } from '../../conformance/findings/json-excerpt.ts'
import { formatLibraryOption } from '../../conformance/options/table-options.ts'
import { createRequestMask, listRequestSecrets } from '../../emulator/observability/request-mask.ts'
import { ResponseCapture } from '../../emulator/scripting/fixtures/response-capture.ts'
import { createLoadMask } from '../../load/options/load-mask.ts'
import {
  type EncodedSecret,
  type EncodingStep,
  encodeSecret,
  encodingSteps,
  secretBody,
} from '../../common/secrets/testing/encodings.ts'
import { type SplitName, SPLITS, splitText } from '../../common/secrets/testing/splits.ts'

/** A response that contains a secret of its request. */
export interface MaskingCase {
  readonly secret: string
  readonly steps: readonly EncodingStep[]
  readonly place: 'field' | 'name' | 'text' | 'bytes' | SplitName
  /** Lengths of the parts into which the encoded secret is split, and of the parts in which the response arrives. */
  readonly lengths: readonly number[]
  /** Number of characters before the secret. It moves the position at which a report truncates a body. */
  readonly padding: number
}

// The cast restores the type of the keys.
const SPLIT_NAMES = Object.keys(SPLITS) as SplitName[]

export const maskingCase: fc.Arbitrary<MaskingCase> = fc.record({
  secret: secretBody,
  steps: encodingSteps,
  place: fc.constantFrom<MaskingCase['place'][]>('field', 'name', 'text', 'bytes', ...SPLIT_NAMES),
  lengths: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  padding: fc.oneof(fc.nat(100), fc.integer({ min: 16_200, max: 16_400 })),
})

interface Output {
  /** Texts that a report or a recording contains. */
  readonly texts: readonly string[]
  readonly encoded: EncodedSecret
}

/** Puts a response into a report, into a document of a load run and into a recording. */
export function writeCase({ secret, steps, place, lengths, padding }: MaskingCase): Output {
  const key = `sk-svc-${secret}`
  const encoded = encodeSecret(secret, steps)
  const body = buildBody(place, splitText(encoded.text, lengths), 'x'.repeat(padding))
  const bytes = Buffer.from(body, 'latin1')
  return {
    encoded,
    texts: [
      ...writeReport(key, bytes, { body, text: encoded.text }),
      ...writeLoadDocument(key, body),
      ...record(key, bytes, lengths),
    ],
  }
}

function buildBody(place: MaskingCase['place'], parts: readonly string[], padding: string): string {
  const text = parts.join('')
  switch (place) {
    case 'field':
      return JSON.stringify({ padding, error: { message: text } })
    case 'name':
      return JSON.stringify({ padding, [text]: 1 })
    case 'text':
      return `${padding} ${text}`
    case 'bytes':
      return `\u00ff\0${text}\u00fe`
    default:
      return `${SPLITS.deltas.write([padding])}${SPLITS[place].write(parts)}`
  }
}

function writeReport(key: string, bytes: Uint8Array, { body, text }: { body: string; text: string }): string[] {
  const mask = new SecretMask([{ value: key, variable: 'TOUCHSTONE_KEY' }])
  const request = {
    method: 'GET',
    path: '/v1/models',
    url: 'http://127.0.0.1:1/v1/models',
    headers: { authorization: `Bearer ${key}` },
  }
  const events = listEvents(body).map((data, index) => ({ atMs: index, data }))
  const exchange: Exchange = {
    request,
    startedAtMs: 0,
    totalMs: 1,
    status: 200,
    headers: { 'x-echo': body.slice(0, 2000) },
    body: bytes,
    text: body,
    json: undefined,
    events,
    unfinishedFrame: false,
    memoryBytes: 0,
  }
  const actual = createExcerpt(text)
  const params = { path: 'error', actualType: 'string', actual }
  const fields = buildDocumentFields({ verdict: 'warn', code: 'wrong-type', params }, 'chat', {
    mask,
    nameOption: formatLibraryOption,
  })
  return listTexts([describeExchange(exchange, mask), fields])
}

function listEvents(body: string): string[] {
  return body.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice('data: '.length)] : []))
}

function writeLoadDocument(key: string, body: string): string[] {
  return listTexts(createLoadMask({ keys: [key] }).maskJson([body, ...listEvents(body)]))
}

function record(key: string, bytes: Buffer, lengths: readonly number[]): string[] {
  const isStream = bytes.toString('latin1').startsWith('data: ')
  const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' }
  const mask = createRequestMask(listRequestSecrets({ headers: { 'x-api-key': key }, target: '/v1/models' }))
  const capture = new ResponseCapture({ status: 200, headers }, () => 0)
  for (const part of splitText(
    bytes.toString('latin1'),
    lengths.map((length) => length * 50),
  )) {
    capture.push(Buffer.from(part, 'latin1'))
  }
  const recorded = capture.end(mask)
  const decoded = Buffer.from(recorded?.base64 ?? '', 'base64').toString('latin1')
  return [...listTexts(recorded), decoded]
}

/** Returns all strings and names of a JSON value, and what a reader gets by joining parts of them. */
function listTexts(value: unknown): string[] {
  const texts: string[] = []
  const visit = (part: unknown): void => {
    if (typeof part === 'string') texts.push(part)
    if (typeof part !== 'object' || part === null) return
    texts.push(...Object.keys(part))
    for (const member of Object.values(part)) visit(member)
  }
  visit(value)
  const joined = Object.values(SPLITS).flatMap(({ read }) => [...texts.map(read), read(texts.join('\n\n'))])
  return [...texts, ...joined, texts.join('')]
}
