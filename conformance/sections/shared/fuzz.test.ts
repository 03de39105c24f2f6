import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MODELS } from '../../../contract/facts.ts'
import { isSummaryCheck } from '../../engine/check.ts'
import type { Verdict } from '../../findings/outcome.ts'
import { describeOutcome } from '../../findings/sentences.ts'
import type { RequestSpec } from '../../http/exchange.ts'
import { buildMp3 } from '../../requests/audio.ts'
import { getInputCount, LONG_TEST_TIMEOUT_MS } from '../../testing/generated-inputs.ts'
import { REQUIREMENTS } from '../requirements.ts'
import { CHECKS } from '../checks.ts'
import { findMp3StartDeviation, parseMp3 } from '../4.5-speech/mp3.ts'
import { type ScriptedResponse, createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

/** Verdicts that a check may return for any response. `error` is never valid. */
const VERDICTS: Readonly<Record<string, readonly Verdict[]>> = {
  stated: ['pass', 'fail', 'not-testable'],
  convention: ['pass', 'warn', 'not-testable'],
  unspecified: ['observed', 'not-testable'],
  // These requirements are unspecified, but a partial feature breaks clients and therefore causes a warning.
  agents: ['pass', 'warn', 'observed', 'not-testable'],
}
const REQUEST_CHECKS = CHECKS.flatMap((check) => (isSummaryCheck(check) ? [] : [check]))
const levels = new Map(REQUIREMENTS.map(({ id, level }) => [id, level]))

const MESSAGE = { role: 'assistant', content: 'Hello tag, nonce.' }
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const IMAGES = [{ url: 'http://target.test/v1/images/a.png' }, { url: 'http://target.test/v1/images/b.jpg' }]
/** Responses of a conforming service, by the end of the request path. The tests derive damaged responses from them. */
const SOUND_DOCUMENTS: Readonly<Record<string, object>> = {
  models: { object: 'list', data: MODELS.map(({ id }) => ({ id, object: 'model', created: 1, owned_by: 'a' })) },
  completions: {
    id: 'a',
    object: 'chat.completion',
    created: 1,
    model: 'vendora-v4-flash',
    choices: [{ index: 0, message: MESSAGE, delta: MESSAGE, finish_reason: 'stop' }],
    usage: USAGE,
  },
  generations: { created: 1, data: IMAGES },
  transcriptions: { text: 'Hello.' },
  balance: { credits: '12.5' },
  other: { error: { message: 'No.', type: 'a', param: null, code: null } },
}
const MEMBERS =
  'id object data created owned_by model choices message role content delta index finish_reason usage prompt_tokens total_tokens url text error type credits'.split(
    ' ',
  )

const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    -1,
    1.5,
    1e300,
    '',
    '0',
    [],
    {},
    null,
    undefined,
    '\0',
    '1e999',
    'http://[',
    'x'.repeat(300),
  ),
)

type Changes = readonly (readonly [name: string, value: unknown])[]

/** Serializes a document after replacing properties at any depth. */
function damaged(document: unknown, changes: Changes): string {
  const replaced = new Map(changes)
  return JSON.stringify(document, (key, value: unknown) => (replaced.has(key) ? replaced.get(key) : value)) ?? ''
}

const changes: fc.Arbitrary<Changes> = fc.array(fc.tuple(fc.constantFrom(...MEMBERS), oddValue), { maxLength: 3 })
const oddDocument = fc
  .tuple(fc.constantFrom(...Object.values(SOUND_DOCUMENTS)), changes)
  .map(([document, members]) => damaged(document, members))

const frames = fc
  .array(
    fc.tuple(
      fc.constantFrom('data: ', 'data:', 'event: ', ': ', ''),
      fc.oneof(oddDocument, fc.constantFrom('[DONE]', '{"cut')),
    ),
  )
  .map((lines) => lines.map((line) => `${line.join('')}\n\n`).join(''))

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000004a0000003408020000', 'hex')
const file = fc
  .tuple(fc.constantFrom<Uint8Array>(buildMp3(100), PNG), fc.nat(40), fc.uint8Array({ maxLength: 20 }), fc.nat(500))
  .map(([sound, at, noise, end]) => {
    const bytes = Buffer.from(sound)
    bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length))
    return bytes.subarray(0, end)
  })

const body: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: oddDocument },
  { weight: 3, arbitrary: frames },
  { weight: 2, arbitrary: file },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  { weight: 1, arbitrary: fc.json() },
)
const headers = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'text/event-stream', 'audio/mpeg', 'image/png', ';', 'x', ''),
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
    'retry-after': fc.constantFrom('0', '1', '-1', '1e9', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Thu, nonsense'),
    location: fc.constantFrom('http://elsewhere.test/', ':'),
    allow: fc.string({ maxLength: 5 }),
    'x-request-id': fc.string({ maxLength: 5 }),
  },
  { requiredKeys: [] },
)
const status = fc.oneof(
  { weight: 5, arbitrary: fc.constant(200) },
  { weight: 3, arbitrary: fc.constantFrom(400, 401, 402, 404, 429, 500) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
)
const broken = fc
  .constantFrom('reset', 'timeout', 'closed-early', 'malformed', 'too-large', 'tls')
  .map((kind) => ({ kind }))
const anyResponse: fc.Arbitrary<ScriptedResponse> = fc
  .tuple(status, headers, body, fc.option(broken, { freq: 12 }))
  .map(([code, fields, content, error]) => ({
    status: code,
    headers: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? ''])),
    body: content,
    ...(error === null ? {} : { error: { ...error, message: 'it broke' } }),
  }))

/**
 * The responses to requests: arbitrary bytes, streams of arbitrary frames, or the valid response with replaced
 * properties.
 */
const stream = frames.map((body) => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body }))
const response = fc.oneof(anyResponse, stream, changes)

function respondTo(
  { path, body: requestBody }: RequestSpec,
  given: ScriptedResponse | Changes | undefined,
): ScriptedResponse {
  if (given === undefined || 'status' in given) return given ?? { status: 0 }
  const kind = /[a-z]+$/.exec(path)?.[0] ?? ''
  if (kind === 'speech') return { status: 200, headers: { 'content-type': 'audio/mpeg' }, body: buildMp3(72) }
  if (kind === 'png') return { status: 200, headers: { 'content-type': 'image/png' }, body: PNG }
  const document = damaged(SOUND_DOCUMENTS[kind] ?? SOUND_DOCUMENTS['other'], given)
  const isStream = requestBody !== undefined && Buffer.from(requestBody).includes('"stream":true')
  return isStream
    ? { status: 200, headers: { 'content-type': 'text/event-stream' }, body: `data: ${document}\n\ndata: [DONE]\n\n` }
    : { status: 200, headers: { 'content-type': 'application/json' }, body: document }
}

test(
  'every check returns a serializable outcome that its level allows, for any response',
  { timeout: LONG_TEST_TIMEOUT_MS },
  async () => {
    const given = new Map<string, number>()
    const input = fc.tuple(fc.constantFrom(...REQUEST_CHECKS), fc.array(response, { minLength: 1, maxLength: 4 }))
    await fc.assert(
      fc.asyncProperty(input, async ([check, responses]) => {
        let sent = 0
        const context = createScriptedContext((request) => {
          sent += 1
          return respondTo(request, responses[(sent - 1) % responses.length])
        })
        const outcome = await check.run(context)
        const { verdict } = outcome
        const { actual } = describeOutcome(outcome)
        const kind = check.group === 'agents' ? 'agents' : (levels.get(check.requirement) ?? '')
        expect(VERDICTS[kind]).toContain(verdict)
        expect(actual).not.toBe('')
        const { exchange: _exchange, sequence: _sequence, judged: _judged, ...data } = outcome
        expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data)
        given.set(verdict, (given.get(verdict) ?? 0) + 1)
      }),
      { numRuns: getInputCount(150) },
    )
    // Verifies that the generated responses produce every verdict.
    const rare = ['pass', 'fail', 'warn', 'observed', 'not-testable'].filter(
      (verdict) => (given.get(verdict) ?? 0) < getInputCount(150) / 100,
    )
    expect(rare).toEqual([])
  },
)

test(
  'the MP3 reader terminates on any bytes, and never counts more frames than the bytes contain',
  { timeout: LONG_TEST_TIMEOUT_MS },
  () => {
    const tag = Buffer.from('ID3\x04\0\0\0\0\0\x03abc', 'latin1')
    const part = fc.oneof(
      file,
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom<Uint8Array>(tag, buildMp3(36), Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.from('TAG')),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const bytes = Buffer.concat(parts)
        const { frames: count, durationMs } = parseMp3(bytes)
        // The shortest frame has 24 bytes, and the longest frame lasts 72 ms.
        expect(count).toBeLessThanOrEqual(bytes.length / 24)
        expect(durationMs).toBeLessThanOrEqual(count * 72)
        findMp3StartDeviation(bytes)
      }),
      { numRuns: getInputCount(150) },
    )
  },
)
