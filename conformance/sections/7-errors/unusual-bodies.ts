import { type Check, type CheckContext, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import { hasBrokenDown } from '../../http/breakdown.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'
import type { JsonOperation } from '../../requests/build-request.ts'
import { buildPaddedWav } from '../../requests/audio.ts'
import { forOperations, sendPlainRequest } from '../shared/operation.ts'
import { getRequestText } from '../shared/response-access.ts'

/*
 * The specification neither allows nor forbids these bodies. A target may serve or reject them, but must not break
 * down.
 */

/**
 * Statuses that a target may return for unusual JSON. The specification does not state whether or how it rejects such a
 * body.
 */
const SERVED_OR_REJECTED = ['2xx', '4xx'] as const
/**
 * Statuses that a target may return for a large body: a success, or an error status in the table of section 7 that
 * concerns the request.
 */
const ALLOWED = ['2xx', 400, 404] as const

/** An unusual body that real clients send. `make` derives it from a valid body. */
interface UnusualBody {
  readonly difference: RequestDifference
  make(valid: string): string | Uint8Array
}

function withMember(member: string): UnusualBody {
  return {
    difference: { body: `the valid body with ${member}` },
    make: (valid) => `${valid.slice(0, -1)},${member}}`,
  }
}

/** A body with a byte order mark, which some editors and Windows programs write before UTF-8. */
const BYTE_ORDER_MARK: UnusualBody = {
  difference: { body: 'the valid body after a byte order mark' },
  make: (valid) => Buffer.concat([Uint8Array.from([0xef, 0xbb, 0xbf]), Buffer.from(valid)]),
}

/**
 * A body with a lone surrogate, which clients produce when they truncate text by UTF-16 units. JSON can express it, but
 * UTF-8 cannot.
 */
const LONE_SURROGATE: UnusualBody = {
  difference: { body: String.raw`the valid body with "\ud83d" in its text` },
  make: (valid) => valid.replace(/(Say hello|A grey stone|Hello)/, String.raw`$1 \ud83d`),
}

/**
 * Bodies with unusual JSON, by operation. Python writes `NaN` for a missing number. `1e999` exceeds the range of a
 * double.
 */
const UNUSUAL_JSON: Readonly<Record<JsonOperation, readonly UnusualBody[]>> = {
  chat: [withMember('"temperature":NaN'), withMember('"temperature":1e999'), LONE_SURROGATE, BYTE_ORDER_MARK],
  images: [withMember('"n":NaN'), LONE_SURROGATE, BYTE_ORDER_MARK],
  speech: [withMember('"voice":NaN'), LONE_SURROGATE, BYTE_ORDER_MARK],
}

const unusualJsonChecks = forOperations(
  {
    chat: '7/unusual-json-chat',
    images: '7/unusual-json-images',
    speech: '7/unusual-json-speech',
  },
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
)

/** Size of a large body in bytes. It exceeds the default limits of common servers: 1 MB of nginx, 100 KB of Express. */
const LARGE_BYTES = 2 * 1024 * 1024

async function expectTableStatus(control: Exchange, response: Exchange, body: string): Promise<Outcome> {
  // The breakdown check of the operation reports this response.
  if (hasBrokenDown(response)) return expect.checkSuccess(response)
  return expect.checkErrorResponses([{ difference: { body }, response }], ALLOWED, { control })
}

// The body is large because of spaces outside the JSON strings. They are not part of the prompt, so they cost nothing.
export const largeChatCheck = defineCheck({
  id: '7/large-body-chat',
  requirement: '7/statuses',
  title: 'responds to a valid body of 2 MB with a success or a status of the table',
  operation: 'chat',
  cost: calculateMaxCost('chat', 2),
  async run(context) {
    const control = await context.shared.chat()
    const valid = getRequestText(control)
    const rawBody = `${valid.slice(0, -1)}${' '.repeat(LARGE_BYTES)}}`
    return expectTableStatus(control, await context.chat({}, { rawBody }), 'the valid body with 2 MB of spaces')
  },
})

export const largeUploadCheck = defineCheck({
  id: '7/large-body-transcriptions',
  requirement: '7/statuses',
  title: 'responds to an audio file of 2 MB with a success or a status of the table',
  operation: 'transcriptions',
  cost: calculateMaxCost('transcriptions', 2),
  run: async (context: CheckContext) =>
    expectTableStatus(
      await context.shared.transcriptions(),
      await context.transcriptions({ file: buildPaddedWav(LARGE_BYTES) }),
      'a WAV file of 2 MB, with a second of sound',
    ),
})

export const unusualBodyChecks: readonly Check[] = [...unusualJsonChecks, largeChatCheck, largeUploadCheck]
