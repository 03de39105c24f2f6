/** Kinds of findings, each with the sentence that reports show. `retry-rules.ts` defines the limits. */
export const FINDING_SENTENCES = {
  'repeated-400': 'The client repeated a request unchanged after a 400: the same request is still invalid.',
  'repeated-401': 'The client used a key again after a 401: repetition does not make a key valid.',
  'repeated-402': 'The client repeated a request after a 402 and got a 402 again: the account needs more credits.',
  'repeated-404': 'The client repeated a request after a 404: repetition does not create endpoints or models.',
  'came-back-early': 'The client retried before the time in Retry-After had passed.',
  'too-many-retries': 'The client retried a request more than 5 times: an overloaded service needs fewer requests.',
  'no-backoff': 'The client retried without increasing the wait.',
  'repeated-charged-request': 'The client repeated a request that was already charged, so it may pay twice.',
  'left-stream': 'The client disconnected before the end of a stream: the tokens already sent are charged.',
  'secret-in-url': 'The client sent a key in the URL, which logs and proxies store.',
  'billing-differs': 'The client reported costs that differ from its charges.',
} as const

export type FindingKind = keyof typeof FINDING_SENTENCES

/** A single case of a finding, identified by its request. */
export interface FindingEvidence {
  /** Id of the request, as in the request log. */
  readonly requestId: string
  /** Arrival time of the request, in ISO 8601 format. */
  readonly time: string
  /** Id of the request that this request repeats. Present only for retries. */
  readonly earlierRequestId?: string
  /**
   * Time from the end of the earlier response to the arrival of this request, on the emulator's clock, in milliseconds.
   */
  readonly waitedMs?: number
  /** Value of Retry-After in the earlier response, in milliseconds. */
  readonly toldToWaitMs?: number
  /** Number of retries of the same request so far. */
  readonly retries?: number
  /** Charge of the earlier request in credits, as a decimal string. Present only for `repeated-charged-request`. */
  readonly charged?: string
}

/** A rule that a client violated, with evidence. */
export interface Finding {
  readonly kind: FindingKind
  readonly sentence: string
  readonly count: number
  /** Evidence of the first violations, at most five. */
  readonly evidence: readonly FindingEvidence[]
  /** Credits that the client computed, and credits charged, as decimal strings. Present only for `billing-differs`. */
  readonly credits?: { readonly believed: string; readonly charged: string }
}

/** Findings about the client that uses one API key. */
export interface ClientReport {
  /** Account id. Null if no account has the client's key. */
  readonly account: string | null
  /** Fingerprint of the key, or `(hidden)` for a short key. Null without a key. */
  readonly keyFingerprint: string | null
  readonly requests: number
  readonly findings: readonly Finding[]
}

/** Findings about all clients. `clean` is true if there are no findings. */
export interface ClientAuditReport {
  readonly clean: boolean
  readonly requests: number
  readonly clients: readonly ClientReport[]
}

/** Formats the report as text: each client with its findings, and the requests that prove them. */
export function formatAuditReport({ requests, clients }: ClientAuditReport): string {
  const clientsWithFindings = clients.filter(({ findings }) => findings.length > 0)
  return [
    `expected no client findings in ${requests} request(s), but`,
    ...clientsWithFindings.flatMap(formatClient),
  ].join('\n')
}

function formatClient(client: ClientReport): string[] {
  const who = client.account ?? 'a client without an account'
  const key = client.keyFingerprint === null ? '' : ` (key ${client.keyFingerprint})`
  return [`${who}${key}:`, ...client.findings.flatMap(formatFinding)]
}

function formatFinding({ kind, sentence, count, evidence, credits }: Finding): string[] {
  const times = count === 1 ? '' : ` [${count} times]`
  const sums = credits === undefined ? [] : [`    reported ${credits.believed} credits, charged ${credits.charged}`]
  return [`  ${kind}: ${sentence}${times}`, ...evidence.map((one) => `    ${formatEvidence(one)}`), ...sums]
}

function formatEvidence(evidence: FindingEvidence): string {
  const { requestId, earlierRequestId, waitedMs, toldToWaitMs, retries, charged } = evidence
  const parts = [
    requestId,
    earlierRequestId === undefined ? '' : `repeats ${earlierRequestId}`,
    waitedMs === undefined ? '' : `sent ${Math.round(waitedMs)} ms later`,
    toldToWaitMs === undefined ? '' : `Retry-After was ${toldToWaitMs} ms`,
    retries === undefined ? '' : `retry ${retries}`,
    charged === undefined ? '' : `${charged} credits were charged`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}
