import type { ClientReport, ClientAuditReport, Evidence, Finding } from './finding.ts'

/** The findings as a person reads them: who, what is wrong with it, and the requests that show it. */
export function formatAuditReport({ requests, clients }: ClientAuditReport): string {
  const guilty = clients.filter(({ findings }) => findings.length > 0)
  return [`expected clean conduct in ${requests} request(s), but`, ...guilty.flatMap(formatClient)].join('\n')
}

function formatClient(client: ClientReport): string[] {
  const who = client.account ?? 'a client without an account'
  const key = client.keySuffix === null ? '' : ` (key …${client.keySuffix})`
  return [`${who}${key}:`, ...client.findings.flatMap(formatFinding)]
}

function formatFinding({ kind, sentence, count, evidence, credits }: Finding): string[] {
  const often = count === 1 ? '' : ` [${count} times]`
  const sums = credits === undefined ? [] : [`    believed ${credits.believed} credits, charged ${credits.charged}`]
  return [`  ${kind}: ${sentence}${often}`, ...evidence.map((one) => `    ${formatEvidence(one)}`), ...sums]
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
