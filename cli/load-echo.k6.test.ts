import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findTestK6 } from './testing/test-k6.ts'
import { fingerprintSecret } from '../common/secrets/fingerprint.ts'
import { ECHO_STEPS, echoSecret, findEchoedRuns } from '../common/secrets/testing/echoes.ts'
import { startLoadTarget } from './testing/load-targets.ts'
import { runCli } from './testing/run-cli.ts'

/** Timeout for building k6 with empty caches. */
const BUILD_MS = 600_000

/** Returns all strings of a JSON text, or the text itself. */
function listTexts(text: string): string[] {
  const texts: string[] = []
  JSON.parse(text.startsWith('{') ? text : JSON.stringify(text), (_name, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}

test(
  'never prints or writes a key in a load run, even if the target returns the whole request in any encoding',
  async (context) => {
    const k6 = await findTestK6()
    if ('problem' in k6) return context.skip(k6.problem)
    const body = 'Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0'
    let echoed = 0
    await using target = await startLoadTarget(({ headers: { authorization } }, response) => {
      echoed += 1
      const echo = echoSecret(body, echoed)
      const event = (part: number) =>
        `data: ${JSON.stringify({ id: `${part} ${authorization}`, object: echo, choices: [{ delta: { role: echo, content: echo } }] })}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': authorization })
      response.end(`${event(1)}${event(2)}data: ${echo}\n\ndata: [DONE]\n\n`)
    })
    const out = await mkdtemp(join(tmpdir(), 'touchstone-echo-'))
    try {
      const count = String(ECHO_STEPS.length)
      const command = ['load', '--target', target.url, '--key', `sk-svc-${body}`, '--iterations', count, '--out', out]
      const run = await runCli(command, { env: { TOUCHSTONE_K6: k6.path } })
      const files = await Promise.all((await readdir(out)).map((name) => readFile(join(out, name), 'utf8')))
      // Only the echoed request contains `Bearer` before the masked key, so the reports contain that request.
      expect(files.join('\n')).toContain(`Bearer ${fingerprintSecret(`sk-svc-${body}`)}`)
      expect(files).toHaveLength(2)
      const texts = [run.stdout, run.stderr, ...files]
      expect(findEchoedRuns([...texts, ...texts.flatMap(listTexts)], body)).toEqual([])
    } finally {
      await rm(out, { recursive: true })
    }
  },
  BUILD_MS,
)
