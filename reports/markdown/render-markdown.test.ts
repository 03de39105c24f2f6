import { expect, test } from 'vitest'
import { createFullDocument } from '../testing/full-document.ts'
import { HOSTILE_TEXT, HOSTILE_MEGABYTE, replaceTexts } from '../testing/hostile.ts'
import { createLoadDocument } from '../testing/sample-load.ts'
import { formatCode, escapeProse } from './escape.ts'
import { renderMarkdown } from './render-markdown.ts'

test('shows the verdict first, then each contradiction with its sentence', () => {
  const text = renderMarkdown({
    ...createFullDocument(),
    target: { ...createFullDocument().target, problem: undefined } as never,
  })
  expect(text.split('\n')[0]).toMatch(/^## ❌ Non-conformant \(strict; only 2\.1; /)
  expect(text).toContain('- actual: `returned 200`')
  expect(text).toContain('“the sentence of 2.1/fail”')
  expect(text.indexOf('### Failures')).toBeLessThan(text.indexOf('### Warnings'))
})

test('shows why the target ended the run, then the causes, then the failures', () => {
  const { problem: _problem, ...target } = createFullDocument().target
  const text = renderMarkdown({
    ...createFullDocument(),
    target,
    remarks: ['The target stopped responding after 9 responses.'],
    remarkFindings: [{ code: 'target-died', params: {} }],
  })
  const lines = text.split('\n')
  expect(lines[4]).toBe('**The target stopped responding after 9 responses.**')
  expect(text).toContain(
    '1. **Requests with an unknown model to `POST /v1/chat/completions` get 200 instead of 404: 1 failure, 1 not testable**',
  )
  expect(text).toContain('([`2.1/fail`](#check-2.1-fail)')
  expect(text).toContain('- <a id="check-2.1-fail"></a>**')
  expect(text.indexOf('### Causes of the failures (1)')).toBeLessThan(text.indexOf('### Failures (1)'))
})

test('renders a load run', () => {
  const load = renderMarkdown(createLoadDocument())
  expect(load).toContain('| `ttft.p99 <= 800 ms` | broken | 912 ms | 5940 |')
  expect(load).toContain('| 412.5 | 287.1034 | – |')
})

test('a Markdown report has at most 65,000 bytes and states what it omits', () => {
  const withChecks = (times: number) => ({
    ...createFullDocument(),
    checks: Array.from({ length: times }, () => createFullDocument().checks).flat(),
  })
  for (const text of [
    renderMarkdown(replaceTexts(withChecks(15), HOSTILE_MEGABYTE)),
    renderMarkdown(withChecks(400)),
  ]) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_000)
    expect(text).toMatch(/\*\d+ more lines are in the HTML report/)
  }
  const { series, metrics, ...texts } = createLoadDocument()
  expect(Buffer.byteLength(renderMarkdown({ ...replaceTexts(texts, HOSTILE_MEGABYTE), series, metrics }))).toBeLessThan(
    65_000,
  )
})

test('formats text of a target as code that the text cannot end', () => {
  expect(formatCode('a')).toBe('`a`')
  expect(formatCode('`a`` b')).toBe('``` `a`` b ```')
  expect(formatCode('a | b')).toBe(String.raw`\`a \| b\``.replaceAll('\\`', '`'))
  expect(formatCode('')).toBe('` `')
  expect(formatCode('a\n\u001b[2J\u202eb')).toBe(String.raw`\`a \u{1b}[2J\u{202e}b\``.replaceAll('\\`', '`'))
})

test('escapes markup, mentions and links in prose', () => {
  const text = escapeProse(HOSTILE_TEXT, 5000)
  expect(text).not.toMatch(/<(?!\/?span>)/)
  expect(text).not.toMatch(/(?<!<span>)[@#]/)
  expect(text).not.toMatch(/[^>]:\/\/|www\./)
  expect(text).not.toMatch(/(?<!\\)[`*[\]|]/)
})
