/** Kinds of findings, each with a sentence for reports. `retry-rules.ts` has the limits and their reasons. */
export const FINDING_SENTENCES = {
  'repeated-400': 'It repeated a request unchanged after a 400: the same request remains invalid.',
  'repeated-401': 'It used a key again after a 401: repetition does not make a key valid.',
  'repeated-402': 'It repeated a request after a 402 and got a 402 again: credits do not return by themselves.',
  'repeated-404': 'It repeated a request after a 404: repetition does not create endpoints or models.',
  'came-back-early': 'It retried before the time in Retry-After had passed.',
  'too-many-retries': 'It retried a request more than 5 times: an overloaded service needs fewer requests.',
  'no-backoff': 'It retried without increasing the wait.',
  'left-stream': 'It disconnected before the end of a stream: the tokens already sent are charged.',
  'secret-in-url': 'It sent a key in the URL, which logs and proxies store.',
  'billing-differs': 'It reported other costs than it was charged.',
} as const

/** A kind of finding. */
export type FindingKind = keyof typeof FINDING_SENTENCES

/** One case of a finding. */
export interface Evidence {
  /** Id of the request, as in the request log. */
  readonly requestId: string
  /** Arrival of the request, ISO 8601. */
  readonly time: string
  /** Id of the failed request that it repeats. */
  readonly earlierRequestId?: string
  /** Time from the end of the earlier response to the arrival of this request, by the emulator's clock. */
  readonly waitedMs?: number
  /** Value of Retry-After in the earlier response. */
  readonly toldToWaitMs?: number
  /** Number of retries of the request so far. */
  readonly retries?: number
}

/** Something that a client did wrong. */
export interface Finding {
  readonly kind: FindingKind
  readonly sentence: string
  /** Number of cases. */
  readonly count: number
  /** The first cases. */
  readonly evidence: readonly Evidence[]
  /** For `billing-differs`: decimal strings of credits. */
  readonly credits?: { readonly believed: string; readonly charged: string }
}

/** Findings on the requests with one key. */
export interface ClientReport {
  /** Null if no account has the key. */
  readonly account: string | null
  /** End of the key. Null for requests without a key. */
  readonly keySuffix: string | null
  /** Number of observed requests. */
  readonly requests: number
  readonly findings: readonly Finding[]
}

/** Findings on all clients. `clean` means no findings. */
export interface ClientAuditReport {
  readonly clean: boolean
  readonly requests: number
  readonly clients: readonly ClientReport[]
}

/** Formats the findings for a person: the client, the problem, and the requests that show it. */
export function formatAuditReport({ requests, clients }: ClientAuditReport): string {
  const clientsWithFindings = clients.filter(({ findings }) => findings.length > 0)
  return [
    `expected no client findings in ${requests} request(s), but`,
    ...clientsWithFindings.flatMap(formatClient),
  ].join('\n')
}

function formatClient(client: ClientReport): string[] {
  const who = client.account ?? 'a client without an account'
  const key = client.keySuffix === null ? '' : ` (key …${client.keySuffix})`
  return [`${who}${key}:`, ...client.findings.flatMap(formatFinding)]
}

function formatFinding({ kind, sentence, count, evidence, credits }: Finding): string[] {
  const times = count === 1 ? '' : ` [${count} times]`
  const sums = credits === undefined ? [] : [`    reported ${credits.believed} credits, charged ${credits.charged}`]
  return [`  ${kind}: ${sentence}${times}`, ...evidence.map((one) => `    ${formatEvidence(one)}`), ...sums]
}

function formatEvidence({ requestId, earlierRequestId, waitedMs, toldToWaitMs, retries }: Evidence): string {
  const parts = [
    requestId,
    earlierRequestId === undefined ? '' : `repeats ${earlierRequestId}`,
    waitedMs === undefined ? '' : `sent ${Math.round(waitedMs)} ms later`,
    toldToWaitMs === undefined ? '' : `Retry-After was ${toldToWaitMs} ms`,
    retries === undefined ? '' : `retry ${retries}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}
