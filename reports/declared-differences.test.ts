import { describe, expect, test } from 'vitest'
import { isRegression } from './compare/comparison.ts'
import { compareDocuments } from './compare-documents.ts'
import type { CheckVerdict, ConformanceDocument, DeclaredDifferenceEntry } from './conformance-document.ts'
import { describeVerdict } from './conformance-verdict.ts'
import { renderComparison } from './console/render-comparison.ts'
import { renderConformance } from './console/render-conformance.ts'
import { buildHistories } from './history/build-history.ts'
import { renderConformancePage } from './html/conformance/render-conformance-page.ts'
import { renderMatrixPage } from './html/compare/render-matrix-page.ts'
import { renderHistoryPage } from './html/history/render-history-page.ts'
import { renderJunit } from './junit/render-junit.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'
import { renderMatrixMarkdown } from './markdown/render-matrix.ts'
import { buildMatrix } from './matrix/build-matrix.ts'
import { renderBadge } from './render-badge.ts'
import { createCheckEntry, createDocument } from './testing/sample-document.ts'

const KEYS = { name: 'keys', value: 'none', text: 'no keys', why: 'the network is private' }
const ERRORS = { name: 'validationErrors', value: 422, text: 'validation errors get 422', why: 'the framework' }
const TOKENS = { name: 'maxTokens', value: false, text: 'no default of max_tokens', why: 'the model decides' }
const PLAIN = { hasColor: false, exitCode: 0 }

/** Builds a document with three declared differences, of which checks show `keys` and, twice, `validationErrors`. */
function createDeclared(changes: Partial<ConformanceDocument> = {}): ConformanceDocument {
  const document = createDocument({
    checks: [
      createCheckEntry('1/pass', 'pass'),
      createCheckEntry('5/no-key', 'declared', { differences: ['keys'], actual: 'returned 200' }),
      createCheckEntry('7/n', 'declared', { differences: ['validationErrors'], actual: 'returned 422' }),
      createCheckEntry('7/top-p', 'declared', { differences: ['validationErrors'], actual: 'returned 422' }),
    ],
    verdict: 'conformant',
  })
  return { ...document, target: { ...document.target, differences: [KEYS, ERRORS, TOKENS] }, ...changes }
}

/** Adds checks with these verdicts. The failed check requires a declared difference. */
function addChecks(document: ConformanceDocument, verdicts: readonly CheckVerdict[]): ConformanceDocument {
  const added = verdicts.map((verdict) =>
    createCheckEntry(`9/${verdict}`, verdict, verdict === 'fail' ? { differences: ['validationErrors'] } : {}),
  )
  return { ...document, checks: [...document.checks, ...added], verdict: 'non-conformant' }
}

describe('the headline', () => {
  const first = (document: ConformanceDocument) => renderConformance(document, PLAIN).split('\n')[0]

  test('counts and names the differences that the run shows', () => {
    expect(first(createDeclared())).toBe(
      'CONFORMANT WITH 2 DECLARED DIFFERENCES: no keys; validation errors get 422  http://127.0.0.1:8080',
    )
    const checks = createDeclared().checks.slice(0, 2)
    expect(first(createDeclared({ checks, selection: { only: ['1', '5'], skip: [] } }))).toBe(
      'CONFORMANT WITH 1 DECLARED DIFFERENCE (only 1, 5): no keys  http://127.0.0.1:8080',
    )
  })

  test('does not mention declared differences that the run does not show', () => {
    expect(first(createDeclared({ checks: createDeclared().checks.slice(0, 1) }))).toBe(
      'CONFORMANT  http://127.0.0.1:8080',
    )
  })

  test('does not count a difference that only a failed check requires', () => {
    const [pass, keys] = createDeclared().checks
    const checks = [pass, keys].filter((check) => check !== undefined)
    expect(first(addChecks(createDeclared({ checks }), ['fail']))).toMatch(/^NON-CONFORMANT \(1 declared difference\) /)
  })

  test('does not claim that nothing was tested if a check is declared', () => {
    const { target, checks, summary } = createDeclared()
    const document = createDeclared({
      target: { ...target, problem: 'The target stopped responding.' },
      checks: checks.slice(1),
      summary: { ...summary, pass: 0 },
    })
    expect(renderConformance(document, PLAIN)).not.toContain('nothing was tested')
  })

  test('counts the differences of a run that is not conformant as a qualifier', () => {
    expect(first(addChecks(createDeclared(), ['fail']))).toBe(
      'NON-CONFORMANT (2 declared differences)  http://127.0.0.1:8080',
    )
    expect(first(createDeclared({ verdict: 'incomplete' }))).toMatch(/^INCOMPLETE \(2 declared differences\) /)
  })
})

test.each([
  [createDeclared(), 'The target conforms to the specification with 2 declared differences: 1 check passed.'],
  [
    createDeclared({ verdict: 'non-conformant', strict: true }),
    'There are 2 declared differences. With --strict, they fail the run.',
  ],
  [
    createDeclared({ verdict: 'non-conformant', strict: true, checks: createDeclared().checks.slice(0, 2) }),
    'There is 1 declared difference. With --strict, it fails the run.',
  ],
  [
    createDeclared({
      verdict: 'non-conformant',
      strict: true,
      checks: createDeclared().checks.map((check) =>
        check.id === '5/no-key' ? { ...check, knownFailure: 'x' } : check,
      ),
    }),
    'There is 1 declared difference. With --strict, it fails the run.',
  ],
  [
    { ...addChecks(createDeclared(), ['warn', 'fail']), strict: true },
    'The target violates the specification in 1 of 6 checks. There are 1 warning and 2 declared differences. With --strict, they fail the run.',
  ],
])('describes the verdict of a run with declared differences in a sentence (%#)', (document, sentence) => {
  expect(describeVerdict(document)).toBe(sentence)
})

describe('the console', () => {
  test('lists each difference with its reason and its checks', () => {
    const text = renderConformance(createDeclared(), PLAIN)
    expect(text).toContain('4 checks in 1.5 s: 1 pass · 3 declared\n')
    expect(text).toContain(
      [
        'Declared differences (3)',
        '  no keys: the network is private (1 check)',
        '  validation errors get 422: the framework (2 checks)',
        '  no default of max_tokens: the model decides (not seen in this run)',
      ].join('\n'),
    )
    expect(renderConformance(createDeclared({ target: createDocument({ checks: [] }).target }), PLAIN)).not.toContain(
      'Declared differences',
    )
  })

  test('names the declared difference that a failed check requires', () => {
    const text = renderConformance(addChecks(createDeclared(), ['fail']), { ...PLAIN, isVerbose: true })
    expect(text).toMatch(/9\/fail {2}the title[^]*expected +200\n +declared +validationErrors\n +actual /)
  })
})

test('Markdown lists the declared differences, and names the one that a failed check requires', () => {
  const text = renderMarkdown(createDeclared())
  expect(text.split('\n')[0]).toBe(
    '## ✅ Conformant with 2 declared differences: no keys; validation errors get 422 · `http://127.0.0.1:8080`',
  )
  expect(text).toContain(' · 3 declared · ')
  expect(text).toContain('### Declared differences (3)')
  expect(text).toContain('| validation errors get 422 `validationErrors` | the framework | 2 checks |')
  expect(text).toMatch(/`maxTokens` \| the model decides \| not seen in this run \|/)
  expect(renderMarkdown(addChecks(createDeclared(), ['fail']))).toContain('- declared difference: `validationErrors`')
})

describe('the page', () => {
  const page = renderConformancePage(createDeclared())

  test('shows the declared differences in the banner and in the summary', () => {
    expect(page).toContain('<title>Conformant with 2 declared differences: http://127.0.0.1:8080</title>')
    expect(page).toMatch(/<strong>3<\/strong>[^]*?<span>differ from the specification as declared<\/span>/)
    expect(page).toMatch(/<h1>.*Conformant with 2 declared differences: no keys; validation errors get 422<\/h1>/)
  })

  test('lists the declared differences with their reasons, and links to their checks', () => {
    const [, section = ''] = /<section id="differences"([^]*?)<\/section>/.exec(page) ?? []
    expect(section).toContain('Declared differences (3)')
    expect(section).toMatch(/validation errors get 422 <code class="muted">validationErrors<\/code>[^]*the framework/)
    expect(section).toMatch(/<summary>2 checks<\/summary>[^]*<a href="#check-7-n"><code>7\/n<\/code><\/a>, <a /)
    expect(section).toMatch(/the model decides<\/td>[^]*not seen in this run<\/td>/)
    expect(page).toContain('data-check="7/n" data-verdict="declared"')
    expect(page).toContain('<div id="check-7-n">')
  })

  test('names the declared difference that a failed check requires', () => {
    const failed = renderConformancePage(addChecks(createDeclared(), ['fail']))
    expect(/<div id="check-9-fail">([^]*?)<\/dl>/.exec(failed)?.[1]).toMatch(
      /<dt>Declared difference<\/dt>\s*<dd><a href="#differences"><code>validationErrors<\/code><\/a><\/dd>/,
    )
  })

  test('has no section without declared differences', () => {
    expect(renderConformancePage(createDocument({ checks: [] }))).not.toContain('id="differences"')
  })
})

test('the badge counts the declared differences', () => {
  const titles = [createDeclared(), addChecks(createDeclared(), ['fail'])].map(
    (document) => /<title>(.*)<\/title>/.exec(renderBadge(document))?.[1],
  )
  expect(titles).toEqual([
    'conformance: conformant with 2 declared differences',
    'conformance: non-conformant: 1 failed',
  ])
})

test('JUnit reports a declared check as a passed test with its difference and reason, and in a strict run as a failure', () => {
  const caseOf = (document: ConformanceDocument, id: string) =>
    new RegExp(`<testcase name="${id} [^]*?</testcase>`).exec(renderJunit(document))?.[0]
  expect(caseOf(createDeclared(), '5/no-key')).toMatch(
    /<system-out>declared difference: no keys \(the network is private\)\n§5 [^]*actual: returned 200<\/system-out>/,
  )
  expect(renderJunit(createDeclared())).toContain('failures="0"')
  expect(caseOf(createDeclared({ strict: true }), '5/no-key')).toMatch(
    /<failure message="returned 200" type="failure">declared difference: no keys \(the network is private\)/,
  )
  expect(caseOf(addChecks(createDeclared(), ['fail']), '9/fail')).toMatch(
    /<failure [^>]*>declared difference: validation errors get 422 \(the framework\)/,
  )
})

test('a matrix shows declared differences in the verdict of a target and in its cells', () => {
  const conforming = createDeclared({
    checks: createDeclared().checks.map((check) => ({ ...check, verdict: 'pass' })),
  })
  const matrix = buildMatrix([
    { name: 'a', document: createDeclared() },
    { name: 'b', document: conforming },
  ])
  const markdown = renderMatrixMarkdown(matrix)
  expect(markdown).toContain('**conformant with 2 declared differences**')
  expect(markdown).toContain('| `7/n` | ☑️ declared | ✅ pass |')
  const page = renderMatrixPage(matrix, 'touchstone')
  expect(page).toContain('2 of 2 conformant')
  expect(page).toContain('conformant with 2 declared differences')
  expect(page).toMatch(/v-declared[^]*?declared<\/span\s*><br \/><span class="muted">returned 422/)
})

test('a history shows the number of declared differences, if there are any', () => {
  const pageOf = (document: ConformanceDocument) => renderHistoryPage(buildHistories([document]), 'touchstone')
  expect(buildHistories([createDeclared()])[0]?.runs[0]?.counts['Declared differences']).toBe(2)
  expect(pageOf(createDeclared())).toContain('>Declared differences</th>')
  expect(pageOf(createDocument({ checks: [] }))).not.toContain('Declared differences')
})

describe('a comparison', () => {
  const compare = (before: ConformanceDocument, after: ConformanceDocument) =>
    compareDocuments({ name: 'a', document: before }, { name: 'b', document: after })
  const single = (verdict: CheckVerdict, differences?: readonly DeclaredDifferenceEntry[]): ConformanceDocument => {
    const document = createDocument({
      checks: [createCheckEntry('7/n', verdict, { differences: ['validationErrors'] })],
    })
    return { ...document, causes: [], target: { ...document.target, ...(differences && { differences }) } }
  }

  test.each([
    ['declared', 'pass', 'different'],
    ['pass', 'declared', 'different'],
    ['declared', 'fail', 'worse'],
    ['fail', 'declared', 'different'],
    ['warn', 'declared', 'different'],
  ] as const)('classifies a check that changes from %s to %s as %s', (before, after, direction) => {
    const comparison = compare(single(before), single(after))
    expect(comparison.changes.map((change) => [change.sort, change.direction])).toEqual([['check', direction]])
    expect(isRegression(comparison)).toBe(direction === 'worse')
  })

  test('lists the declared differences that were added, removed or changed', () => {
    const [other, reworded] = [
      { ...ERRORS, value: 404, text: 'validation errors get 404' },
      { ...TOKENS, why: 'another reason' },
    ]
    const comparison = compare(single('declared', [KEYS, ERRORS, TOKENS]), single('declared', [other, reworded]))
    expect(comparison.changes).toEqual([
      {
        direction: 'different',
        sort: 'difference',
        subject: 'validationErrors',
        before: 'validation errors get 422',
        after: 'validation errors get 404',
      },
      { direction: 'different', sort: 'difference', subject: 'keys', before: 'no keys', after: 'not declared' },
    ])
    expect(renderComparison(comparison, false)).toContain('Declared differences (2)\n')
  })

  test('names the verdict of each run with its declared differences', () => {
    const { before, after } = compare(single('pass'), createDeclared())
    expect([before.verdict, after.verdict]).toEqual(['non-conformant', 'conformant with 2 declared differences'])
  })
})
