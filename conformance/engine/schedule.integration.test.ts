import { expect, test } from 'vitest'
import type { Outcome } from '../outcomes/outcome.ts'
import type { Check } from './check.ts'
import { serveHttp } from '../testing/local-server.ts'
import { checkOf, suiteOf } from '../testing/small-suite.ts'
import { runConformance } from '../run-conformance.ts'

const outcome = (verdict: Outcome['verdict'], actual: string): Outcome => ({
  verdict,
  code: 'not-run',
  params: { reason: actual },
})

/** Checks around one that waits, which write down what happens; the wait lasts until all checks beside it are done. */
function suiteAround(guardSays: Outcome['verdict'], besideSays: Outcome['verdict']) {
  const log: string[] = []
  const others = ['1/a', '1/b']
  let left = others.length
  const allDone = Promise.withResolvers<void>()
  const noting = async (id: string, says: Outcome['verdict'] = 'pass') => {
    log.push(id)
    return outcome(says, id)
  }
  const waiting = checkOf('7/waiting', {
    alone: true,
    beside: {
      after: '7/guard',
      async run({ wait }) {
        log.push('burst')
        await Promise.all([wait(1), allDone.promise])
        return noting('beside', besideSays)
      },
    },
    run: () => noting('run'),
  })
  const checks: Check[] = [
    ...others.map((id) =>
      checkOf(id, {
        run: async () => {
          left -= 1
          if (left === 0) allDone.resolve()
          return noting(id)
        },
      }),
    ),
    waiting,
    checkOf('7/guard', { alone: true, run: () => noting('7/guard', guardSays) }),
    checkOf('7/last', { alone: true, run: () => noting('7/last') }),
  ]
  return { checks, log }
}

async function actualOf(checks: readonly Check[], concurrency = 8): Promise<string | undefined> {
  await using server = await serveHttp((_request, response) => response.writeHead(200).end('{}'))
  const keys = { funded: 'sk-svc-funded-0123456789' }
  const { document } = await runConformance({ url: server.url, keys, suite: suiteOf(checks), concurrency })
  expect(document.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id))
  return document.checks.find(({ id }) => id === '7/waiting')?.actual
}

test('others run beside a wait, and those that run alone do so after it', async () => {
  const { checks, log } = suiteAround('pass', 'pass')
  expect(await actualOf(checks)).toBe('beside')
  expect(log).toEqual(['7/guard', 'burst', '1/a', '1/b', 'beside', '7/last'])
})

test('what does not pass beside others is decided alone', async () => {
  const { checks, log } = suiteAround('pass', 'warn')
  expect(await actualOf(checks)).toBe('run')
  expect(log).toEqual(['7/guard', 'burst', '1/a', '1/b', 'beside', 'run', '7/last'])
})

test('where the guard does not pass no one waits beside others', async () => {
  const { checks, log } = suiteAround('fail', 'pass')
  expect(await actualOf(checks)).toBe('run')
  expect(log).toEqual(['7/guard', '1/a', '1/b', 'run', '7/last'])
})

test('without the guard neither', async () => {
  const { checks, log } = suiteAround('pass', 'pass')
  expect(await actualOf(checks.filter(({ id }) => id !== '7/guard'))).toBe('run')
  expect(log).toEqual(['1/a', '1/b', 'run', '7/last'])
})

test('one check at a time means that the others come after the wait', async () => {
  const { log, checks } = suiteAround('pass', 'pass')
  const patient = checks.map((check) =>
    check.beside === undefined
      ? check
      : { ...check, beside: { after: '7/guard', run: async () => outcome('pass', 'beside') } },
  )
  expect(await actualOf(patient, 1)).toBe('beside')
  expect(log).toEqual(['7/guard', '1/a', '1/b', '7/last'])
})
