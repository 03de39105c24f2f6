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

test('the console shows the wrong value if the title of a cause only names its field', () => {
  const { gateway: _, ...document } = createFullDocument()
  const [first] = document.causes
  const causes = first === undefined ? [] : [first]
  const print = (code: string): string =>
    renderConformance(
      { ...document, causes, checks: document.checks.map((check) => ({ ...check, code, actual: 'model is "b"' })) },
      { hasColor: false, exitCode: 1 },
    )
  expect(print('wrong-value')).toMatch(/ seen +model is "b"/)
  expect(print('unexpected-status')).not.toMatch(/^ +seen +/m)
})
