import { expect, test } from 'vitest'
import { renderLoad } from './console/render-load.ts'
import { renderLoadPage } from './html/load/render-load-page.ts'
import type { LoadCredits, LoadDocument } from './load-document.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'
import { createLoadDocument } from './testing/sample-load.ts'

const UNPRICED: LoadCredits = {
  estimate: null,
  counted: null,
  ledger: null,
  tokens: { 'acme-mini': { prompt: 1200, completion: 300 } },
  note: 'The specification gives no price for acme-mini.',
}

function render(credits: LoadCredits) {
  const document: LoadDocument = createLoadDocument({ credits })
  return [renderLoad(document, { hasColor: false }), renderMarkdown(document), renderLoadPage(document)]
}

test('reports omit the credits of a run without amounts, and the page keeps the tokens', () => {
  const texts = render(UNPRICED)
  for (const text of texts) expect(text).not.toMatch(/Credits$|>Credits<|credits counted|gives no price/m)
  expect(texts.at(-1)).toMatch(/>Tokens<[^]*Tokens by model[^]*acme-mini/)
})

test.each(['estimate', 'counted', 'ledger'])('reports show credits if the amount `%s` is known', (name) => {
  const texts = render({ ...UNPRICED, [name]: '1.5' })
  for (const text of texts) expect(text).toMatch(/Credits$|>Credits</m)
  expect(texts.at(-1)).not.toContain('>Tokens<')
  expect(texts.at(-1)).toContain('Tokens by model')
})
