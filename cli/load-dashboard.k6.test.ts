import { expect, test } from 'vitest'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()

test('serves the dashboard of k6 on loopback during the run', async () => {
  let page: Promise<string> | undefined
  const run = await runLoad('--dashboard --rate 5 --duration 12s', {
    onStart(child) {
      child.stderr?.on('data', (data: Buffer) => {
        const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(data.toString())?.[0]
        if (url !== undefined) page ??= readWhenServed(url)
      })
    },
  })
  expect(await page).toContain('k6 dashboard')
  expect(run.load?.requests.sent).toBe(60)
  // Without a terminal, stderr gets a progress line every ten seconds.
  const [, atS, leftS] = /^(\d+) s · (\d+) s left · \d+ sent · /m.exec(run.stderr) ?? []
  expect(Number(atS)).toBeGreaterThanOrEqual(10) // On a busy machine, k6 reports its progress late.
  expect(Number(atS) + Number(leftS)).toBe(12)
})

/** Fetches the page at a URL. Retries until k6 has started and serves it. */
async function readWhenServed(url: string): Promise<string> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) return response.text()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
