import { expect, test } from 'vitest'
import { buildMeasurements } from '../metrics/measurements.ts'
import { createOperationResult, createExtensionResult } from '../testing/make-result.ts'
import { countCredits } from './count-credits.ts'
import { estimateCost } from './cost-estimate.ts'

const MODEL = 'vendora-v4-flash'
/** An estimate that includes the cost of completion tokens only. */
const ESTIMATE = estimateCost({
  warmUpRequests: 0,
  requests: { chat: 5 },
  chatTokens: { prompt: 0, completion: 400 },
  chatModel: 'vendora-v4-flash',
})
const TOKENS = { [MODEL]: { responses: 5, prompt: 50, completion: 150, estimated: 0 } }

function creditsOf(run: ReturnType<typeof createExtensionResult>, before = '10', after = '9.92', isShared = false) {
  return countCredits(
    buildMeasurements(run, () => null),
    { estimate: ESTIMATE, balances: { before, after, isShared } },
  )
}

test('reports a contradiction if the ledger’s charge differs from the sum of the usage', () => {
  const chat = createExtensionResult({ chat: createOperationResult(5, {}, { tokens: TOKENS }) })
  expect(creditsOf(chat)).toEqual({
    credits: {
      estimate: '0.16',
      counted: '0.08',
      ledger: '0.08',
      tokens: { [MODEL]: { prompt: 50, completion: 150 } },
    },
    contradiction: null,
  })
  expect(creditsOf(chat, '10', '9.9199').contradiction).toEqual({
    code: 'credits-differ',
    params: { counted: '0.08', charged: '0.0801' },
  })
})

test('does not compare the usage with charges that include those of other clients', () => {
  const chat = createExtensionResult({ chat: createOperationResult(5, {}, { tokens: TOKENS }) })
  expect(creditsOf(chat, '10', '9', true)).toMatchObject({
    credits: { ledger: '1', note: expect.stringContaining('Other clients used the account during the run.') },
    contradiction: null,
  })
})

test('states the accuracy of the estimate, and when the measured cost exceeds it', () => {
  const chat = { ...createExtensionResult({ chat: createOperationResult(5, {}, { tokens: TOKENS }) }) }
  const noteOf = (completion: number) => {
    const volume = {
      requests: { chat: 5 },
      warmUpRequests: 0,
      chatTokens: { prompt: 50, completion },
      chatModel: MODEL,
    }
    const measurements = buildMeasurements(chat, () => null)
    const known = { estimate: estimateCost(volume), note: 'Beside.', balances: null }
    return countCredits(measurements, known).credits.note
  }
  expect(noteOf(150)).toMatch(/^The estimate is an upper bound: .* Beside\.$/)
  expect(noteOf(149)).toContain('The run cost more than the estimate')
})

test('counts the tokens but no credits of a target without credits', () => {
  const chat = createExtensionResult({ chat: createOperationResult(5, {}, { tokens: TOKENS }) })
  expect(
    countCredits(
      buildMeasurements(chat, () => null),
      null,
    ),
  ).toEqual({
    credits: { estimate: null, counted: null, ledger: null, tokens: { [MODEL]: { prompt: 50, completion: 150 } } },
    contradiction: null,
  })
})

test('accepts a ledger that charges completions only', () => {
  const chat = createExtensionResult({ chat: createOperationResult(5, {}, { tokens: TOKENS }) })
  expect(creditsOf(chat, '10', '9.94')).toMatchObject({ credits: { ledger: '0.06' }, contradiction: null })
})

test('reports null credits, not 0, for a run of images alone', () => {
  const nothing = { [MODEL]: { responses: 1, prompt: 0, completion: 0, estimated: 0 } }
  const images = createExtensionResult({ images: createOperationResult(1, {}, { tokens: nothing }) })
  expect(creditsOf(images).credits).toMatchObject({ counted: null, ledger: '0.08' })
})

test('reports null credits, not 0, for a model without a price', () => {
  const own = { own: { responses: 5, prompt: 50, completion: 150, estimated: 0 } }
  const chat = (tokens: typeof own | typeof TOKENS) =>
    createExtensionResult({ chat: createOperationResult(5, {}, { tokens }) })
  expect(creditsOf(chat(own)).credits.counted).toBeNull()
  expect(creditsOf(chat({ ...own, ...TOKENS })).credits.counted).toBe('0.08')
})

test('mentions requests without usage instead of a contradiction', () => {
  const tokens = { tokens: TOKENS }
  const estimated = { [MODEL]: { responses: 5, prompt: 0, completion: 150, estimated: 150 } }
  const runs = {
    'Responses of images and audio': createExtensionResult({
      chat: createOperationResult(5, {}, tokens),
      images: createOperationResult(1),
    }),
    'Aborted and failed requests': createExtensionResult({
      chat: createOperationResult(5, {}, { ...tokens, failed: 1 }),
    }),
    'Some streams reported no usage': createExtensionResult({
      chat: createOperationResult(5, {}, { tokens: estimated }),
    }),
    'The specification gives no price for own': createExtensionResult({
      chat: createOperationResult(5, {}, { tokens: { own: TOKENS[MODEL] ?? estimated } }),
    }),
  }
  for (const [words, run] of Object.entries(runs)) {
    const { credits, contradiction } = creditsOf(run, '10', '5')
    expect(credits.note).toContain(words)
    expect(contradiction).toBeNull()
  }
})

test('calculates an upper bound for the cost of chat only', () => {
  const chatTokens = { prompt: 100, completion: 100 }
  const of = (requests: Parameters<typeof estimateCost>[0]['requests'], chatModel = MODEL) =>
    estimateCost({ requests, warmUpRequests: 0, chatTokens, chatModel })
  expect(of({ chat: 2 })).toMatchObject({ units: 800, note: null })
  expect(of({ chat: 2, images: 1 })).toMatchObject({ units: null, note: expect.stringContaining('at most 0.08') })
  expect(of({ chat: 2 }, 'own')).toMatchObject({ units: null, note: 'The specification gives no price for own.' })
  expect(of(null)).toMatchObject({ units: null, note: expect.stringContaining('a fixed number of iterations') })
})
