// Findings of the client audit, and the timing of the emulator.
import { call } from './api.js'
import { byId, cell, element, setText, syncRows } from './dom.js'
import { formatInteger, nameClient } from './format.js'

export async function refreshAudit() {
  const { clients } = await call('client-audit')
  const findings = clients.flatMap(({ account, keyFingerprint, findings: found }) =>
    found.map((finding) => ({ who: nameClient(account, keyFingerprint), finding })),
  )
  setText(byId('client-audit-about'), findings.length === 0 ? '' : formatInteger(findings.length))
  syncRows(byId('client-audit').tBodies[0], findings.slice(0, 100), {
    keyOf: ({ who, finding }) => `${who} ${finding.kind}`,
    create: createFinding,
    whenEmpty: 'No findings: no client violated a rule of the audit.',
  })
}

function createFinding({ who, finding: { kind, sentence } }) {
  const count = cell('', 'number')
  const evidence = element('div', { class: 'about' })
  const text = cell(`${kind}: ${sentence}`, 'long')
  text.append(evidence)
  return {
    row: element('tr', {}, cell(who, 'long'), text, count),
    update: ({ finding }) => {
      setText(count, formatInteger(finding.count))
      setText(evidence, finding.evidence.map(describeEvidence).join(', '))
    },
  }
}

function describeEvidence({ requestId, earlierRequestId }) {
  return earlierRequestId === undefined ? requestId : `${requestId} after ${earlierRequestId}`
}

/** Reads the timing only while it is shown, because the emulator computes it from every event. */
export async function refreshTiming() {
  if (!byId('timing-details').open) return
  const timing = await call('timing')
  syncRows(
    byId('timing').tBodies[0],
    ['first', 'all', 'last'].map((name) => ({ name, lateness: timing[name] })),
    { keyOf: ({ name }) => name, create: createTiming, whenEmpty: '' },
  )
}

function createTiming({ name }) {
  const cells = Array.from({ length: 5 }, () => cell('', 'number'))
  return {
    row: element('tr', {}, cell(name), ...cells),
    update: ({ lateness }) => {
      for (const [index, figure] of ['n', 'p50Ms', 'p90Ms', 'p99Ms', 'maxMs'].entries()) {
        setText(cells[index], String(lateness?.[figure] ?? '–'))
      }
    },
  }
}
