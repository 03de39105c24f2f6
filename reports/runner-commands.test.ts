import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRunnerCommands, hostileTexts } from '../common/testing/runner-commands.ts'
import { renderComparison } from './console/render-comparison.ts'
import { renderConformance } from './console/render-conformance.ts'
import { renderLoad } from './console/render-load.ts'
import { renderProve } from './console/render-prove.ts'
import { renderComparisonPage } from './html/compare/render-comparison-page.ts'
import { renderMatrixPage } from './html/compare/render-matrix-page.ts'
import { renderConformancePage } from './html/conformance/render-conformance-page.ts'
import { renderLoadPage } from './html/load/render-load-page.ts'
import { renderJunit } from './junit/render-junit.ts'
import { renderComparisonMarkdown } from './markdown/render-comparison.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'
import { renderMatrixMarkdown } from './markdown/render-matrix.ts'
import { replaceTexts } from './testing/hostile.ts'
import { SAMPLE_COMPARISON, SAMPLE_CONFORMANCE, SAMPLE_LOAD, SAMPLE_MATRIX } from './testing/sample-pages.ts'
import { SAMPLE_PROVE } from './testing/sample-prove.ts'
import { serializeDocument } from './write-document.ts'

const { series, metrics, ...loadTexts } = SAMPLE_LOAD
const conformance = (text: string) => replaceTexts(SAMPLE_CONFORMANCE, text)
const load = (text: string) => ({ ...replaceTexts(loadTexts, text), series, metrics })
const RENDER_OPTIONS = { hasColor: false, exitCode: 1, isVerbose: true }

const OUTPUTS: Readonly<Record<string, (text: string) => string>> = {
  'conformance text': (text) => renderConformance(conformance(text), RENDER_OPTIONS),
  'load text': (text) => renderLoad(load(text), RENDER_OPTIONS),
  'prove text': (text) => renderProve(replaceTexts(SAMPLE_PROVE, text), RENDER_OPTIONS),
  'comparison text': (text) => renderComparison(replaceTexts(SAMPLE_COMPARISON, text), false),
  'conformance JSON': (text) => serializeDocument(conformance(text)),
  'load JSON': (text) => serializeDocument(load(text)),
  'conformance Markdown': (text) => renderMarkdown(conformance(text)),
  'load Markdown': (text) => renderMarkdown(load(text)),
  'comparison Markdown': (text) => renderComparisonMarkdown([replaceTexts(SAMPLE_COMPARISON, text)]),
  'matrix Markdown': (text) => renderMatrixMarkdown(replaceTexts(SAMPLE_MATRIX, text)),
  'conformance JUnit': (text) => renderJunit(conformance(text)),
  'load JUnit': (text) => renderJunit(load(text)),
  'conformance page': (text) => renderConformancePage(conformance(text)),
  'load page': (text) => renderLoadPage(load(text)),
  'comparison page': (text) => renderComparisonPage([replaceTexts(SAMPLE_COMPARISON, text)], text),
  'matrix page': (text) => renderMatrixPage(replaceTexts(SAMPLE_MATRIX, text), text),
}

test.each(Object.keys(OUTPUTS))('%s: text of a document starts no command of a CI runner', (name) => {
  fc.assert(
    fc.property(hostileTexts, (text) => {
      expect(findRunnerCommands(OUTPUTS[name]?.(text) ?? '')).toEqual([])
    }),
    { numRuns: 5 },
  )
})
