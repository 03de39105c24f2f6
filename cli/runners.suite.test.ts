import { expect, test } from 'vitest'
import { serveHttp } from '../common/testing/local-server.ts'
import { type CliResult, runCli, runCliInSharedProcess, withoutProgress } from './testing/run-cli.ts'

const VARYING = 'durationMs startedAt startedAtMs atMs date x-request-id p50 p90 p99 max'.split(' ')

/** Replaces the values that differ between runs, such as times, request IDs and ports. */
function removeTimes(value: unknown): unknown {
  const text = JSON.stringify(value, (key, part: unknown) => (VARYING.includes(key) ? 0 : part))
  const parsed: unknown = JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST').replaceAll(/(created\W+)\d+/g, '$10'))
  return parsed
}

test('both runners write the same document', async () => {
  // Checks whose outcomes contain durations or depend on them, or that send further requests until a time is clear.
  const timed = ['4.2/stream-pace', '4.2/left-stream', '8/left-charge', '8/left-charge-bound']
  const args = ['conformance', ...['7', ...timed].flatMap((id) => ['--skip', id])]
  const [direct, vitest] = [await runCliInSharedProcess(args), await runCli([...args, '--runner', 'vitest'])]
  expect(withoutProgress(vitest.stderr)).toBe('')
  expect(vitest.exitCode).toBe(0)
  expect(direct.document?.checks.length).toBeGreaterThan(100)
  expect(removeTimes(vitest.document)).toEqual(removeTimes(direct.document))
})

test('both runners find the same failures and print the same text', async () => {
  await using files = await serveHttp((request, response) => {
    // Reads the body first. Otherwise, a client that is still sending may get a connection reset instead of the
    // response.
    request.resume().on('end', () => response.writeHead(request.method === 'GET' ? 404 : 405).end('<h1>'))
  })
  const target = ['--target', files.url, '--key', 'sk-svc-0123456789']
  const args = ['conformance', ...target, '--only', '1,4.1,5/no-header-chat']
  const [direct, vitest] = [await runCliInSharedProcess(args), await runCli([...args, '--runner', 'vitest'])]
  expect(vitest.exitCode).toBe(1)
  expect(withoutProgress(vitest.stderr)).toBe('')
  expect(vitest.document?.summary).toEqual(direct.document?.summary)
  // Ignores the evidence, because each run has its own random texts.
  const verdictsOf = ({ document }: CliResult): unknown => document?.checks.map(({ id, verdict }) => [id, verdict])
  expect(verdictsOf(vitest)).toEqual(verdictsOf(direct))
  expect(vitest.document?.spent).toEqual(direct.document?.spent)
  const lines = (text: string): string[] => text.split('\n').filter((line) => !/ checks in |curl/.test(line))
  expect(lines(vitest.stdout)).toEqual(lines(direct.stdout))
})
