import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { CHROMIUM_SKIP_REASON, startBrowser } from '../tests/support/browser.ts'
import { sendChat, callControl } from '../tests/support/requests.ts'

/** Timeout for starting the browser and for each step on a busy machine. */
const BROWSER_LIMIT_MS = 60_000

let browser: Browser

beforeAll(async () => {
  if (CHROMIUM_SKIP_REASON === undefined) browser = await startBrowser()
}, BROWSER_LIMIT_MS)

beforeEach((context) => context.skip(CHROMIUM_SKIP_REASON !== undefined, CHROMIUM_SKIP_REASON))

afterAll(async () => {
  if (CHROMIUM_SKIP_REASON === undefined) await browser.close()
})

/** Opens the console and collects browser errors and requested URLs. */
async function openConsole(emulator: Emulator, options: object = {}) {
  const page = await browser.newPage({ locale: 'en', ...options })
  page.setDefaultTimeout(BROWSER_LIMIT_MS / 4)
  const complaints: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  await page.goto(`${emulator.url}/__emulator/`)
  await page.getByText('Running').waitFor()
  return { page, complaints, hosts }
}

const rows = (page: Page, table: string) =>
  page
    .locator(`#${table} tbody tr`)
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent)))

test(
  'shows accounts, requests, timing and client findings, without requests to other hosts',
  { timeout: BROWSER_LIMIT_MS },
  async () => {
    await using emulator = await startEmulator({ clock: createVirtualClock(), answerTokens: 5 })
    const { page, complaints, hosts } = await openConsole(emulator)
    await page.getByText('No requests yet.').waitFor()
    expect((await rows(page, 'accounts')).map((cells) => cells.slice(0, 3))).toEqual([
      ['funded', '…nded', '1000000000'],
      ['empty', '…mpty', '0'],
      ['small', '…mall', '1'],
      ['limited', '…ited', '1000000000'],
    ])
    await (await sendChat(emulator, { stream: true })).text()
    for (let index = 0; index < 2; index += 1) await (await sendChat(emulator, { temperature: 7 })).text()
    await page.getByText('invalid-parameter').first().waitFor()
    expect(await rows(page, 'requests')).toEqual([
      ['15:06:40.000', 'funded', 'chat', '', '400', '0', '0', '0.0', '0.0', 'invalid-parameter'],
      ['15:06:40.000', 'funded', 'chat', '', '400', '0', '0', '0.0', '0.0', 'invalid-parameter'],
      ['15:06:40.000', 'funded', 'chat', 'vendora-v4-flash', '200', '12', '0.0048', '0.0', '0.0', 'stream'],
    ])
    expect(await rows(page, 'timing')).toEqual([
      ['first', '1', '0', '0', '0', '0'],
      ['all', '8', '0', '0', '0', '0'],
      ['last', '1', '0', '0', '0', '0'],
    ])
    expect((await rows(page, 'conduct'))[0]).toEqual([
      'funded',
      expect.stringContaining('repeated-400'),
      '1',
      'req-3 after req-2',
    ])
    expect(complaints).toEqual([])
    expect([...hosts]).toEqual([new URL(emulator.url).host])
    await page.close()
  },
)

test(
  'adds, disables and enables faults, and shows the error of an invalid one',
  { timeout: BROWSER_LIMIT_MS },
  async () => {
    await using emulator = await startEmulator()
    const { page } = await openConsole(emulator)
    await page.getByLabel('New fault').fill('operation=chat,status=503')
    await page.getByRole('button', { name: 'Add' }).click()
    const toggle = page.getByLabel('fault-1 is enabled')
    await toggle.waitFor()
    expect((await sendChat(emulator)).status).toBe(503)
    await toggle.uncheck()
    await expect.poll(async () => (await callControl(emulator, '/faults')).json.faults[0].enabled).toBe(false)
    expect((await sendChat(emulator)).status).toBe(200)
    await toggle.check()
    await expect.poll(async () => (await callControl(emulator, '/faults')).json.faults[0].enabled).toBe(true)
    await page.getByLabel('New fault').fill('operation=juggling')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('alert').filter({ hasText: 'must be one of models, chat' }).waitFor()
    expect((await callControl(emulator, '/faults')).json.faults).toHaveLength(1)
    await page.close()
  },
)

test('shows markup sent by a client as text', { timeout: BROWSER_LIMIT_MS }, async () => {
  await using emulator = await startEmulator()
  const { page, complaints } = await openConsole(emulator)
  const hostile = `/v1/<img src=x onerror=alert(1)>`
  await fetch(emulator.url + encodeURI(hostile), { headers: { authorization: 'Bearer <b>bold</b>' } })
  const raw = await import('../tests/support/requests.ts')
  await raw.sendRawRequest(
    emulator,
    `GET /v1/<script>alert(2)</script> HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  )
  await page.getByText('<script>alert(2)</script>').waitFor()
  expect(await page.locator('#requests img, #requests b, #requests script').count()).toBe(0)
  expect(complaints).toEqual([])
  await page.close()
})

test(
  'asks for the control token, or takes it from the fragment of its URL',
  { timeout: BROWSER_LIMIT_MS },
  async () => {
    await using emulator = await startEmulator({ controlToken: 'open-sesame-1234' })
    const page = await browser.newPage()
    await page.goto(`${emulator.url}/__emulator/`)
    await page.getByText('requires a control token').waitFor({ timeout: BROWSER_LIMIT_MS / 4 })
    await page.close()
    const opened = await browser.newPage()
    await opened.goto(`${emulator.url}/__emulator/#token=open-sesame-1234`)
    await opened.getByText('Running').waitFor({ timeout: BROWSER_LIMIT_MS / 4 })
    expect(await rows(opened, 'accounts')).toHaveLength(4)
    await opened.close()
  },
)

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const)('is readable in %s at %i px', { timeout: BROWSER_LIMIT_MS }, async (colorScheme, width) => {
  await using emulator = await startEmulator({ faults: [{ operation: 'images', status: 500 }] })
  for (let index = 0; index < 3; index += 1) await (await sendChat(emulator, { temperature: 7 })).text()
  await (await sendChat(emulator, { stream: true })).text()
  await (await sendChat(emulator, {}, { key: 'sk-svc-nobody-has-this-key' })).text()
  const { page } = await openConsole(emulator, { colorScheme, viewport: { width, height: 900 } })
  await page.getByText('repeated-400').waitFor()
  const folder = process.env['TOUCHSTONE_SCREENSHOTS']
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/console-${colorScheme}-${width}.png`, fullPage: true })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(
    await page.evaluate("[...document.querySelectorAll('section')].every((s) => s.scrollWidth <= s.clientWidth)"),
  ).toBe(true)
  await page.close()
})

test(
  "reports a stopped emulator, and cannot be read by another site's page",
  { timeout: BROWSER_LIMIT_MS },
  async () => {
    const emulator = await startEmulator()
    const { page } = await openConsole(emulator)
    await using other = await startEmulator()
    const stranger = await browser.newPage()
    await stranger.goto(`${other.url}/v1/models`)
    const read = `fetch('${emulator.url}/__emulator/accounts', { method: 'POST' }).then((r) => r.status, () => 'kept out')`
    expect(await stranger.evaluate(read)).toBe('kept out')
    await stranger.close()
    await emulator.close()
    await page.getByText('The emulator does not respond').waitFor()
    await page.close()
  },
)
