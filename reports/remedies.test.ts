import { expect, test } from 'vitest'
import { renderConformance } from './console/render-conformance.ts'
import { renderConformancePage } from './html/conformance/render-conformance-page.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'
import { createFullDocument } from './testing/full-document.ts'

test('the HTML and Markdown reports show the remedy of a cause', () => {
  const document = createFullDocument()
  const causes = document.causes.map((cause) => ({ ...cause, remedy: 'raise the limit' }))
  expect(renderConformancePage({ ...document, causes })).toContain('Remedy: raise the limit')
  expect(renderMarkdown({ ...document, causes })).toContain('remedy: raise the limit')
})

test('each report shows the parts of a merged cause with their commands, instead of one command', () => {
  const document = createFullDocument()
  const causes = document.causes.slice(0, 1).map((cause) => ({
    ...cause,
    reproduce: 'curl http://x/first',
    parts: [
      { title: 'Errors get 422 instead of 400', checks: cause.checks, reproduce: 'curl http://x/422' },
      { title: 'Errors are served', checks: cause.checks, reproduce: 'curl http://x/200' },
    ],
  }))
  const reports = [
    renderConformance({ ...document, causes }, { hasColor: false, exitCode: 1 }),
    renderConformancePage({ ...document, causes }).replaceAll(/<[^>]*>/g, ''),
    renderMarkdown({ ...document, causes }),
  ]
  for (const report of reports) {
    expect(report).toMatch(/Errors get 422 instead of 400[^]*http:\/\/x\/422[^]*Errors are served[^]*http:\/\/x\/200/)
    expect(report).not.toContain('http://x/first')
  }
})

test('the console shows the wrong value if the title of a cause only names its field', () => {
  const document = createFullDocument()
  const [first] = document.causes
  const causes = first === undefined ? [] : [first]
  const print = (code: string): string =>
    renderConformance(
      { ...document, causes, checks: document.checks.map((check) => ({ ...check, code, actual: 'model is "b"' })) },
      { hasColor: false, exitCode: 1 },
    )
  expect(print('wrong-value')).toMatch(/ seen +model is "b"/)
  expect(print('unexpected-status')).not.toMatch(/ seen +/)
})
