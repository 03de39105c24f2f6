/** Kinds of findings, each with a sentence for reports. `retry-rules.ts` has the limits and their reasons. */
export const FINDING_SENTENCES = {
  'repeated-400': 'It sent a request again, unchanged, that was refused with 400: the same request stays wrong.',
  'repeated-401': 'It came again with a key that was refused with 401: the key does not become valid by repetition.',
  'repeated-402': 'It sent a request again that was refused with 402, and was refused again: credits do not return.',
  'repeated-404': 'It asked again for what was not found: endpoints and models do not appear by repetition.',
  'came-back-early': 'It repeated a request before the Retry-After that it was told had passed.',
  'too-many-retries': 'It retried one request more than 5 times: a service in trouble needs fewer requests, not more.',
  'no-backoff': 'It retried without waiting longer from time to time.',
  'left-stream': 'It did not read a stream to its end, and pays for what it was sent.',
  'secret-in-url': 'It put a key into the URL, which logs and proxies keep.',
  'billing-differs': 'It believes to have paid another amount than was charged.',
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

/** Formats the findings for a person: the client, what is wrong, and the requests that show it. */
export function formatAuditReport({ requests, clients }: ClientAuditReport): string {
  const clientsWithFindings = clients.filter(({ findings }) => findings.length > 0)
  return [`expected clean conduct in ${requests} request(s), but`, ...clientsWithFindings.flatMap(formatClient)].join(
    '\n',
  )
}

function formatClient(client: ClientReport): string[] {
  const who = client.account ?? 'a client without an account'
  const key = client.keySuffix === null ? '' : ` (key …${client.keySuffix})`
  return [`${who}${key}:`, ...client.findings.flatMap(formatFinding)]
}

function formatFinding({ kind, sentence, count, evidence, credits }: Finding): string[] {
  const times = count === 1 ? '' : ` [${count} times]`
  const sums = credits === undefined ? [] : [`    believed ${credits.believed} credits, charged ${credits.charged}`]
  return [`  ${kind}: ${sentence}${times}`, ...evidence.map((one) => `    ${formatEvidence(one)}`), ...sums]
}

function formatEvidence({ requestId, earlierRequestId, waitedMs, toldToWaitMs, retries }: Evidence): string {
  const parts = [
    requestId,
    earlierRequestId === undefined ? '' : `repeats ${earlierRequestId}`,
    waitedMs === undefined ? '' : `came ${Math.round(waitedMs)} ms later`,
    toldToWaitMs === undefined ? '' : `was told to wait ${toldToWaitMs} ms`,
    retries === undefined ? '' : `is retry ${retries}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}
