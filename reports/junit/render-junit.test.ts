import { expect, test } from 'vitest'
import { createFullDocument } from '../testing/full-document.ts'
import { HOSTILE_TEXT } from '../testing/hostile.ts'
import { createCheckEntry, createDocument } from '../testing/sample-document.ts'
import { createLoadDocument } from '../testing/sample-load.ts'
import { renderJunit } from './render-junit.ts'

/** Returns the content of each test case, keyed by its name. */
function casesOf(xml: string): Record<string, string> {
  const cases = [
    ...xml.matchAll(/<testcase name="([^" ]+)[^"]*" classname="[^"]*" time="[\d.]+"(?:\/>|>([^]*?)<\/testcase>)/g),
  ]
  return Object.fromEntries(cases.map(([, name = '', inner = '']) => [name, inner.trim()]))
}

test('maps each verdict to a JUnit result', () => {
  const xml = renderJunit({ ...createFullDocument(), strict: false })
  const cases = casesOf(xml)
  expect(cases['1/pass']).toBe('')
  expect(cases['2.1/fail']).toMatch(
    /^<failure message="returned 200" type="failure">§2\.1 Model: &#34;the sentence of 2\.1\/fail/,
  )
  expect(cases['2.1/fail']).toContain('see it: curl -sS')
  expect(cases['2.2/known']).toMatch(/^<skipped message="excused: the supplier repairs it in May">/)
  expect(cases['4.2/warn']).toMatch(/^<system-out>warning: .*[^]*openai-node/)
  expect(cases['5/missing']).toBe(
    '<skipped message="needs a key without credits: give --no-credits-key">cause: Requests with an unknown model to `POST /v1/chat/completions` get 200 instead of 404: 1 failure, 1 not testable</skipped>',
  )
  expect(cases['7/unspecified']).toMatch(/^<system-out>observed: /)
  expect(cases['8/broken']).toMatch(/^<error message="the suite failed" type="error">/)
  expect(xml).toContain(
    '<testsuites name="conformance of https://api.example.com" tests="19" failures="3" errors="2" skipped="5"',
  )
  expect(xml).toMatch(
    /<testsuite name="§2\.1 Model" tests="1" failures="1" errors="0" skipped="0" time="0\.001" timestamp="2026-01-01T00:00:00">/,
  )
})

test('lists the causes in a separate suite, without adding cases', () => {
  const xml = renderJunit(createFullDocument())
  expect(xml).toMatch(
    /<testsuite name="causes" tests="0" failures="0"[^>]*>\s*<system-out>1\. Requests with an unknown model [^]*?1 failure, 1 not testable\n {3}see it: curl -sS [^]*?<\/system-out>/,
  )
})

test('reports an error for a target that stopped responding during the run', () => {
  const document = createDocument({ checks: [createCheckEntry('1/a', 'pass')], verdict: 'incomplete' })
  const remarks = ['The target stopped responding after 9 responses.']
  const xml = renderJunit({ ...document, remarks, remarkFindings: [{ code: 'target-died', params: {} }] })
  expect(xml).toContain('<error message="The target stopped responding after 9 responses." type="error">')
})

test('reports a warning of a strict run as a failure', () => {
  expect(casesOf(renderJunit(createFullDocument()))['4.2/warn']).toMatch(/^<failure /)
})

test('reports an error for a run that tested nothing', () => {
  const document = createDocument({ checks: [], verdict: 'incomplete' })
  const xml = renderJunit({ ...document, target: { ...document.target, problem: 'Nothing answered.' } })
  expect(xml).toContain('errors="1"')
  expect(xml).toContain('<error message="Nothing answered." type="error">')
})

test('reports the budgets and stream violations of a load run', () => {
  const cases = casesOf(renderJunit(createLoadDocument()))
  expect(cases['ttft.p99']).toBe('<failure message="912 ms over 5940 samples" type="failure"></failure>')
  expect(cases['itl.p99']).toMatch(/^<system-out>/)
  expect(cases['images.e2e.p99']).toMatch(/^<skipped message=".*1000 are needed">/)
  expect(cases['no']).toContain('2 of 5940 streams')
  expect(renderJunit(createLoadDocument({ verdict: 'invalid', reasons: ['The generator fell behind.'] }))).toContain(
    '<error message="The generator fell behind." type="error">',
  )
})

test('removes characters that XML forbids, and truncates long texts', () => {
  const xml = renderJunit(
    createDocument({ checks: [createCheckEntry('1/a', 'fail', { actual: HOSTILE_TEXT.repeat(1000) })] }),
  )
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/)
  expect(xml).not.toContain('<script')
  expect(xml.length).toBeLessThan(100_000)
  expect(xml).toContain('more characters]')
})
