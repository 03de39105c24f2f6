import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startLoadTarget } from './testing/load-targets.ts'
import { runCli } from './testing/run-cli.ts'
import { findTestK6 } from './testing/test-k6.ts'

/** Timeout for building k6 with empty caches. */
const BUILD_MS = 600_000

test(
  'never prints or writes a key in a load run, even if the target returns the whole request',
  async (context) => {
    const k6 = await findTestK6()
    if ('problem' in k6) return context.skip(k6.problem)
    const body = 'Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0'
    const target = await startLoadTarget(({ headers: { authorization } }, response) => {
      const event = (part: number) =>
        `data: ${JSON.stringify({ id: `${part} ${authorization}`, choices: [{ delta: { content: 'a' } }] })}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': authorization })
      response.end(`${event(1)}${event(2)}data: [DONE]\n\n`)
    })
    const out = await mkdtemp(join(tmpdir(), 'touchstone-echo-'))
    try {
      const command = ['load', '--target', target.url, '--key', `sk-svc-${body}`, '--iterations', '2', '--out', out]
      const run = await runCli(command, { env: { TOUCHSTONE_K6: k6.path } })
      const files = await Promise.all((await readdir(out)).map((name) => readFile(join(out, name), 'utf8')))
      // Only the echoed request contains `Bearer` before the masked key, so the reports contain that request.
      expect(files.join('\n')).toContain('Bearer …5Gj0')
      expect(files).toHaveLength(2)
      for (const text of [run.stdout, run.stderr, ...files]) expect(text).not.toContain(body.slice(0, 8))
    } finally {
      await target.close()
      await rm(out, { recursive: true })
    }
  },
  BUILD_MS,
)
