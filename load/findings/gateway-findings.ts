import type { RequestFailure } from '../target/request-failure.ts'
import type { FindingSentence } from './define.ts'
import { describeUnreachable } from './start-findings.ts'

/** Findings about a gateway and its upstream. */
export const GATEWAY_FINDINGS = {
  'upstream-unreachable': (params: { readonly upstream: string; readonly failure: RequestFailure }, name) =>
    describeUnreachable(
      `the upstream ${params.upstream}`,
      params.failure,
      name,
      `Start the upstream, or omit ${name('upstream')}.`,
    ),
  'upstream-rejects-key': ({ upstream, status }: { readonly upstream: string; readonly status: number }, name) =>
    `The upstream ${upstream} rejected the key (status ${status}). Set ${name('upstreamKey')} to a valid key.`,
  /**
   * The emulator's request log or timing record was too small for the run: it contains `compared` of the `responses`.
   */
  'upstream-record-incomplete': ({ compared, responses }: { readonly compared: number; readonly responses: number }) =>
    `The request log of the upstream contains ${compared} of ${responses} responses of this run, so the added latencies cover only these responses. Start the emulator with a larger request log (--request-log entries=50000), or send fewer requests.`,
  /** No response could be found in the emulator's request log, because the gateway forwards no IDs. */
  'upstream-responses-unidentified': () =>
    'No response can be compared with the request log of the upstream: the gateway forwards neither x-client-request-id, nor the response header x-request-id, nor the completion IDs. Configure the gateway to forward one of these.',
  'gateway-retries': ({ retried, sent }: { readonly retried: number; readonly sent: number }) =>
    `The gateway retried ${retried} of ${sent} requests: the upstream received them again after an earlier attempt had ended.`,
  'gateway-duplicates': ({ duplicated, sent }: { readonly duplicated: number; readonly sent: number }) =>
    `The gateway duplicated ${duplicated} of ${sent} requests: the upstream received them again before an earlier attempt had ended.`,
  /**
   * The upstream received more requests than the run sent. Retries, duplicates and requests of other clients cannot be
   * distinguished, because the gateway does not forward request IDs.
   */
  'gateway-sends-more': ({ received, sent }: { readonly received: number; readonly sent: number }) =>
    `The upstream received ${received} requests for ${sent} sent requests. The gateway retried or duplicated requests, or other clients used the upstream. The run cannot distinguish these cases, because the gateway does not forward x-client-request-id.`,
  'gateway-withholds': ({ withheld, sent }: { readonly withheld: number; readonly sent: number }) =>
    `${withheld} of ${sent} requests never reached the upstream: the gateway returned its own response, or none.`,
  'gateway-loses': ({ lost, sent }: { readonly lost: number; readonly sent: number }) =>
    `${lost} of ${sent} requests failed at the gateway although the upstream responded to them with status 200.`,
  'gateway-repeats': ({ repeated, sent }: { readonly repeated: number; readonly sent: number }) =>
    `${repeated} of ${sent} responses repeat the response to an earlier request, like those of a cache.`,
  'gateway-rebatches': ({ rebatched, judged }: { readonly rebatched: number; readonly judged: number }) =>
    `The gateway re-batches streams: in ${rebatched} of ${judged}, tokens that the upstream sent separately arrived together.`,
  /** The gateway removed usage from `removed` of `streams`, or removed the request field that asks for it. */
  'gateway-removes-usage': ({ removed, streams }: { readonly removed: number; readonly streams: number }) =>
    `The gateway removes usage: ${removed} of ${streams} streams arrived without usage, although the upstream sends usage on request. The gateway removed the usage from the stream, or stream_options from the request.`,
  /** The text of `changed` of `compared` chat completions differs from the text that the upstream sent. */
  'gateway-changes-text': ({ changed, compared }: { readonly changed: number; readonly compared: number }) =>
    `The gateway changes text: in ${changed} of ${compared} responses, the text differs from that of the upstream. The gateway dropped, repeated, reordered or edited events.`,
  'gateway-changes-ids': ({ changed, compared }: { readonly changed: number; readonly compared: number }) =>
    `The gateway changes completion IDs: ${changed} of ${compared} responses have a different ID from the one that the upstream sent.`,
  /** `requested` and `received` are the models of one of the `changed` requests. */
  'gateway-changes-model': (params: {
    readonly changed: number
    readonly compared: number
    readonly requested: string
    readonly received: string
  }) =>
    `The gateway changes the model: ${params.changed} of ${params.compared} requests reached the upstream with another model, such as ${params.received} instead of ${params.requested}.`,
  'gateway-buffers': ({ buffered, judged }: { readonly buffered: number; readonly judged: number }) =>
    `The gateway buffers streams: ${buffered} of ${judged} arrived at once, although the upstream sent their tokens separately.`,
  /** Average times from the first token to the end of a stream, in milliseconds. */
  'gateway-holds-text': ({ targetMs, upstreamMs }: { readonly targetMs: number; readonly upstreamMs: number }) =>
    `The gateway buffers streams: their text arrived within ${targetMs} ms on average, although the upstream sends it over ${upstreamMs} ms. Turn off response buffering in the gateway.`,
  'upstream-charged-differently': ({ seen, charged }: { readonly seen: string; readonly charged: string }) =>
    `The usage that the client received adds up to ${seen} credits, but the upstream charged ${charged}.`,
} satisfies Record<string, FindingSentence>
