import { expect, test } from 'vitest'
import { isRegression } from './compare/comparison.ts'
import { compareDocuments } from './compare-documents.ts'
import { renderConformance } from './console/render-conformance.ts'
import { getWorstVerdict } from './gateway-run.ts'
import { renderConformancePage } from './html/conformance/render-conformance-page.ts'
import { renderJunit } from './junit/render-junit.ts'
import { updateKnownFailures } from './known-failures.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'
import { buildMatrix } from './matrix/build-matrix.ts'
import { renderBadge } from './render-badge.ts'
import { createBoth, createGatewayOnly, createGatewayResults } from './testing/gateway-results.ts'
import { HOSTILE_TEXT, replaceTexts } from './testing/hostile.ts'
import { createCheckEntry } from './testing/sample-document.ts'

const PLAIN = { hasColor: false, exitCode: 1 }

test('the console shows the gateway below the specification, with causes, findings and policies', () => {
  const text = renderConformance(createBoth(), PLAIN)
  expect(text).toBe(
    [
      'CONFORMANT  https://api.example.com',
      '1 check in 1.5 s: 1 pass',
      '12 requests, at most 0.5 credits for chat and text (0.25 according to the usage in chat responses)',
      '',
      '  §1 Service  1 pass',
      '',
      'GATEWAY NON-CONFORMANT (1 known failure; 1 known failure repaired)  https://api.example.com in front of http://127.0.0.1:9100: 1 failure, 1 warning',
      '8 checks in 1.5 s: 1 pass · 2 fail · 1 warn · 3 observed · 1 not testable',
      '12 requests, at most 0.5 credits for chat and text (0.25 according to the usage in chat responses)',
      '',
      'Causes of the failures (1)',
      '',
      ' 1. The gateway damages the text in streams: 1 check (gateway/stream-text)',
      '    sentence     Gateway: "the sentence of gateway/stream-text"',
      '    seen         the text of the stream arrived as "costs \uFFFD\uFFFD5" instead of "costs €5"',
      '',
      'Causes of the warnings (1)',
      '',
      ' 1. held back 3 events: 1 warning (gateway/pace)',
      '    sentence     Gateway: "the sentence of gateway/pace"',
      '    seen         held back 3 events',
      '',
      'Not testable (1)',
      '  1 check: the gateway offers no transcriptions (gateway/upload)',
      '',
      'What the gateway does (3)',
      '  the status for each status of the upstream: same status as the upstream, but 529: 503',
      '  the number of upstream requests: 1 in each case, but 500: 3 (declared: 500: 3)',
      '  an identical request: forwarded',
      '',
      'Known failures (1)',
      '  gateway/once: repaired in June (sent twice)',
      '',
      'A known failure passes: gateway/x.',
      '',
      '--verbose lists each failure and warning with its sentence and command; the reports list them too.',
      '',
    ].join('\n'),
  )
})

test('the console omits the specification if only checks of the gateway were selected', () => {
  const text = renderConformance(createGatewayOnly(), PLAIN)
  expect(text).toMatch(/^GATEWAY NON-CONFORMANT \(1 known failure; [^)]*\) {2}https:/)
  expect(text).not.toContain('No check ran')
  expect(text).not.toMatch(/^NON-CONFORMANT/m)
})

test('the console shows warnings and gaps of other gateways in the headline', () => {
  const checks = [createCheckEntry('gateway/pace', 'warn')]
  const warned = renderConformance(createBoth({ verdict: 'conformant', checks, remarkFindings: [] }), PLAIN)
  expect(warned).toMatch(/^GATEWAY CONFORMANT {2}https:\S+ in front of \S+: 1 warning$/m)
  const gaps = createBoth({ verdict: 'incomplete', checks: [createCheckEntry('gateway/upload', 'not-testable')] })
  expect(renderConformance(gaps, PLAIN)).toMatch(
    /^GATEWAY INCOMPLETE [^\n]*:9100\nIncomplete because 1 check could not/m,
  )
})

test('the page shows both ends of a failed request side by side, with the bytes that differ', () => {
  const page = renderConformancePage(createBoth())
  expect(page).toContain('<title>Conformant; gateway non-conformant: https://api.example.com</title>')
  expect(page).toContain('<header class="banner bad">')
  const section = page.slice(
    page.indexOf('<section id="gateway-causes"'),
    page.indexOf('<section id="gateway-policies"'),
  )
  expect(section.match(/class="ends"/g)).toHaveLength(1)
  expect(section).toMatch(
    /Client ⇄ gateway<\/strong>[^]*at 20 ms[^]*Client sent<\/p>[^]*Client received<\/p>[^]*at the client[^]*Gateway ⇄ upstream<\/strong>[^]*Upstream received<\/p>[^]*http:\/\/127\.0\.0\.1:9100\/v1[^]*Upstream sent<\/p>[^]*at the upstream/,
  )
  expect(section.indexOf('at 5 ms')).toBeLessThan(section.indexOf('class="ends"'))
  expect(section.indexOf('at 30 ms')).toBeLessThan(section.indexOf('class="ends"'))
  expect(section).toContain('upstream sent <code>e2 82 ac</code>, client received <code>ef bf bd ef bf bd</code>')
  expect(section).toMatch(/<blockquote>the sentence of gateway\/stream-text/)
  expect(section).toContain('violates gateway.md in 1 of 8 checks')
})

test('the page has a table of policies, with the cases that its summary omits', () => {
  const page = renderConformancePage(createGatewayOnly())
  const table = page.slice(page.indexOf('<section id="policies"'), page.indexOf('<section id="requirements"'))
  expect(table).toMatch(/same status as the upstream, but 529: 503[^]*3 cases[^]*<li>400: 400<\/li>/)
  expect(table).toContain('(declared: 500: 3)')
  expect(table).not.toContain('identical request: forwarded')
  expect(page).not.toContain('id="specification"')
})

test('Markdown contains the verdict on the gateway and the table of policies', () => {
  const text = renderMarkdown(createBoth())
  expect(text).toContain('## ✅ Conformant: `https://api.example.com`\n')
  expect(text).toMatch(/^## ❌ Gateway non-conformant [^\n]*: `https:\S+` in front of `http:\/\/127\.0\.0\.1:9100`$/m)
  expect(text).toContain('| the number of upstream requests | `1 in each case, but 500: 3` (declared: `500: 3`) |')
})

test('JUnit contains the checks of the gateway in a suite of their own', () => {
  const xml = renderJunit(createBoth())
  expect(xml).toMatch(/<testsuite name="gateway" tests="8" failures="1" errors="0" skipped="2"/)
  expect(xml).toContain('<testsuite name="causes in the gateway"')
  expect(renderJunit(createGatewayOnly())).toContain(
    '<testsuites name="conformance of https://api.example.com in front of http://127.0.0.1:9100" tests="8"',
  )
})

test('a badge shows both verdicts in the colour of the worse one', () => {
  const badge = renderBadge(createBoth())
  expect(badge).toContain('<title>conformance: conformant, gateway non-conformant: 1 failed</title>')
  expect(badge).toContain('fill="#b3261e"')
  expect(renderBadge(createGatewayOnly())).toContain('<title>conformance: gateway non-conformant: 1 failed</title>')
  const good = renderBadge(createBoth({ verdict: 'conformant' }))
  expect(good).toContain('<title>conformance: conformant, gateway conformant</title>')
  expect(good).not.toContain('fill="#b3261e"')
})

test('a comparison lists the changed verdicts and policies of a gateway', () => {
  const { checks, ...before } = createGatewayResults({ verdict: 'conformant' })
  const older = checks.map((check) => {
    if (check.id === 'gateway/stream-text') return { ...check, verdict: 'pass' as const }
    return check.id === 'gateway/retries' ? { ...check, value: { 400: 1, 429: 1, 500: 1 } } : check
  })
  const first = { name: 'a', document: createBoth({ ...before, checks: older }) }
  const second = { name: 'b', document: createBoth() }
  const comparison = compareDocuments(first, second)
  expect(comparison.changes).toMatchObject([
    { direction: 'worse', sort: 'run', subject: 'the gateway', before: 'conformant', after: 'non-conformant' },
    { direction: 'worse', sort: 'check', subject: 'gateway/stream-text', before: 'pass' },
    { direction: 'different', sort: 'policy', subject: 'gateway/retries', before: '500: 1', after: '500: 3' },
    { direction: 'different', sort: 'cause', subject: 'The gateway damages the text in streams' },
  ])
  expect(comparison.after.verdict).toBe('conformant, gateway non-conformant')
  expect(isRegression(comparison)).toBe(true)
  const { gateway: _, ...alone } = createBoth()
  expect(compareDocuments({ name: 'a', document: alone }, second).remarks).toEqual(['Only one run tested a gateway.'])
})

test('lists of known failures and matrices contain the checks of a gateway', () => {
  expect(updateKnownFailures(createBoth(), [])).toEqual([
    { id: 'gateway/stream-text', reason: 'The gateway damages the text in streams' },
    { id: 'gateway/pace', reason: 'held back 3 events' },
  ])
  const { columns, requirements } = buildMatrix([{ name: 'a', document: createGatewayOnly() }])
  expect(columns).toMatchObject([{ isConformant: false, verdict: 'gateway non-conformant' }])
  expect(requirements.map(({ id }) => id)).toContain('gateway/stream-text')
})

test('the console repeats both verdicts below output that is longer than a screen', () => {
  expect(renderConformance(createBoth(), { ...PLAIN, isVerbose: true })).toMatch(
    /\n\nCONFORMANT {2}1 pass\nGATEWAY NON-CONFORMANT \([^)]*\) {2}1 pass · 2 fail · 1 warn · 3 observed · 1 not testable\n$/,
  )
})

test('the worst verdict is that of the specification or of the gateway', () => {
  expect(getWorstVerdict(createBoth())).toBe('non-conformant')
  expect(getWorstVerdict({ ...createBoth({ verdict: 'conformant' }), verdict: 'incomplete' })).toBe('incomplete')
})

test('no text of a target controls the terminal or adds markup', () => {
  for (const document of [createBoth(), createGatewayOnly()]) {
    const hostile = replaceTexts(document, HOSTILE_TEXT)
    expect(renderConformance(hostile, { ...PLAIN, isVerbose: true })).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/)
    expect(renderConformancePage(hostile)).not.toMatch(/<script>document|<img|<svg onload/)
    expect(renderJunit(hostile)).not.toContain('<script')
  }
})
