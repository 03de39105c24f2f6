import { type Check, type CheckContext, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'
import type { JsonOperation } from '../../requests/build-request.ts'
import { buildPaddedWav } from '../../requests/audio.ts'
import { ERROR_BODY, findBodyDeviation } from './error-body.ts'
import { forOperations, sendPlainRequest } from '../shared/operation.ts'
import { getRequestText } from '../shared/response-access.ts'
import { MULTIPART_BOUNDARY } from '../../requests/multipart.ts'

// The specification does not mention these bodies. A target may serve or reject them, but must not break down.

/** The specification does not state whether or how a target rejects an unusual body. */
const SERVED_OR_REJECTED = ['2xx', '4xx'] as const
/** An unusual body that real clients send. `make` derives it from a valid body. */
interface UnusualBody {
  readonly difference: RequestDifference
  make(valid: string): string | Uint8Array
}

function withMember(member: string): UnusualBody {
  return { difference: { body: `a body with ${member}` }, make: (valid) => `${valid.slice(0, -1)},${member}}` }
}

/** A body with a byte order mark, which some editors and Windows programs write before UTF-8. */
const BYTE_ORDER_MARK: UnusualBody = {
  difference: { body: 'a body after a byte order mark' },
  make: (valid) => Buffer.concat([Uint8Array.from([0xef, 0xbb, 0xbf]), Buffer.from(valid)]),
}

/** Clients produce a lone surrogate by truncating text by UTF-16 units. JSON can express it, but UTF-8 cannot. */
const LONE_SURROGATE: UnusualBody = {
  difference: { body: String.raw`a body with "\ud83d" in its text` },
  make: (valid) => valid.replace(/(Say hello|A grey stone|Hello)/, String.raw`$1 \ud83d`),
}

/** Python writes `NaN` for a missing number. `1e999` exceeds the range of a double. */
const UNUSUAL_JSON: Readonly<Record<JsonOperation, readonly UnusualBody[]>> = {
  chat: [withMember('"temperature":NaN'), withMember('"temperature":1e999'), LONE_SURROGATE, BYTE_ORDER_MARK],
  images: [withMember('"n":NaN'), LONE_SURROGATE, BYTE_ORDER_MARK],
  speech: [withMember('"voice":NaN'), LONE_SURROGATE, BYTE_ORDER_MARK],
}

/** Size of a large body in bytes. It exceeds the default limits of common servers: 1 MB of nginx, 100 KB of Express. */
const LARGE_BYTES = 2 * 1024 * 1024

const CONSEQUENCE =
  'client SDKs show only the status of the error, so users do not learn that their request is too large'

/** A target may reject a large body with any status, but clients must be able to read the error. */
function observeLargeBody(control: Exchange, response: Exchange, body: string): Outcome {
  const { status, error } = response
  if (!expect.isServed(control)) return expect.observe(control)
  const isRejected = error === undefined && status >= 400 && status < 500
  const deviation = isRejected ? findBodyDeviation(response) : undefined
  if (deviation === undefined) {
    return expect.observe(response, {
      tried: body,
      observe: (seen) => (isRejected ? { kind: 'body-limit', ...expect.getResponseParams(seen) } : undefined),
    })
  }
  const params = { ...expect.getResponseParams(response), deviation }
  const warning = expect.warn(ERROR_BODY, { code: 'large-body-rejected', params }, CONSEQUENCE)
  return expect.addDifference({ body }, warning)
}

// The body is large because of spaces outside the JSON strings. They are not part of the prompt, so they cost nothing.
export const largeChatCheck = defineCheck({
  id: '7/large-body-chat',
  requirement: '7/large-bodies',
  title: 'the handling of a valid body of 2 MB',
  operation: 'chat',
  // In parallel with others, a target may reject the body for another reason.
  alone: true,
  cost: calculateMaxCost('chat', 2),
  async run(context) {
    const control = await context.shared.chat()
    const valid = getRequestText(control)
    const rawBody = `${valid.slice(0, -1)}${' '.repeat(LARGE_BYTES)}}`
    return observeLargeBody(control, await context.chat({}, { rawBody }), 'a body with 2 MB of spaces')
  },
})

interface SentForm {
  readonly body: Buffer
  readonly mediaType: string
  readonly boundary: string
}

/** A form that breaks a rule of RFC 7578, as faulty clients and interrupted uploads produce it. */
interface BrokenForm {
  readonly name: string
  breakForm(form: SentForm): Partial<Pick<SentForm, 'body' | 'mediaType'>>
}

const BROKEN_FORMS: readonly BrokenForm[] = [
  {
    name: 'a form whose header names another boundary',
    breakForm: ({ mediaType, boundary }) => ({ mediaType: mediaType.replace(boundary, `${boundary}-other`) }),
  },
  {
    name: 'a form without its last boundary',
    breakForm: ({ body, boundary }) => ({ body: body.subarray(0, body.lastIndexOf(`--${boundary}`)) }),
  },
  {
    name: 'a form that ends in the middle of the file',
    breakForm: ({ body }) => ({ body: body.subarray(0, body.byteLength / 2) }),
  },
  {
    name: 'a form whose file has no name',
    breakForm: ({ body }) => ({
      body: Buffer.from(body.toString('latin1').replace('form-data; name="file"; ', 'form-data; '), 'latin1'),
    }),
  },
]

export const unusualBodyChecks: readonly Check[] = [
  ...forOperations(
    { chat: '7/unusual-json-chat', images: '7/unusual-json-images', speech: '7/unusual-json-speech' },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '7/500',
        title: 'serves or rejects JSON that is unusual or slightly invalid, without breaking down',
        operation,
        cost: calculateMaxCost(operation, 1 + UNUSUAL_JSON[operation].length),
        async run(context) {
          const control = await sendPlainRequest(context.shared, operation)
          const valid = getRequestText(control)
          const invalid: expect.InvalidRequest[] = []
          for (const { difference, make } of UNUSUAL_JSON[operation]) {
            invalid.push({ difference, response: await sendPlainRequest(context, operation, { rawBody: make(valid) }) })
          }
          return expect.checkErrorResponses(invalid, SERVED_OR_REJECTED, { control })
        },
      }),
  ),
  largeChatCheck,
  defineCheck({
    id: '7/large-body-transcriptions',
    requirement: '7/large-bodies',
    title: 'the handling of an audio file of 2 MB',
    operation: 'transcriptions',
    cost: calculateMaxCost('transcriptions', 2),
    run: async (context: CheckContext) =>
      observeLargeBody(
        await context.shared.transcriptions(),
        await context.transcriptions({ file: buildPaddedWav(LARGE_BYTES) }),
        'a WAV file of 2 MB, with a second of sound',
      ),
  }),
  // The specification does not state how a target rejects a broken form.
  defineCheck({
    id: '7/broken-form-transcriptions',
    requirement: '7/500',
    title: 'serves or rejects a broken form, without breaking down',
    operation: 'transcriptions',
    cost: calculateMaxCost('transcriptions', 1 + BROKEN_FORMS.length),
    async run({ shared, transcriptions }) {
      const control = await shared.transcriptions()
      const { body = [], headers } = control.request
      const mediaType = headers['content-type'] ?? ''
      const form = { body: Buffer.from(body), mediaType, boundary: MULTIPART_BOUNDARY.exec(mediaType)?.[1] ?? '' }
      const invalid: expect.InvalidRequest[] = []
      for (const { name, breakForm } of BROKEN_FORMS) {
        const broken = { ...form, ...breakForm(form) }
        const options = { rawBody: broken.body, headers: { 'content-type': broken.mediaType } }
        invalid.push({ difference: { body: name }, response: await transcriptions({}, options) })
      }
      return expect.checkErrorResponses(invalid, SERVED_OR_REJECTED, { control })
    },
  }),
]
