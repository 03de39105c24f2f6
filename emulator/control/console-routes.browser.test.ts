import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { readTableRows, setUpConsole } from '../tests/support/console.ts'
import { postJson, sendChat, sendRawRequest } from '../tests/support/requests.ts'

const { openPage, openConsole } = setUpConsole()

test('shows accounts, requests, timing and client findings, without requests to other hosts', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock(), answerTokens: 5 })
  const { page, consoleMessages, hosts } = await openConsole(emulator)
  await page.getByText(`No requests yet. Send a request to ${emulator.url}/v1`).waitFor()
  await expect
    .poll(async () => (await readTableRows(page, 'accounts')).map(([name, key, available]) => [name, key, available]))
    .toEqual([
      ['funded', 'Copy', '1,000,000,000.00000 charged'],
      ['no-credits', 'Copy', '0.00000 charged'],
      ['small', 'Copy', '1.00000 charged'],
      ['limited', 'Copy', '1,000,000,000.00000 charged'],
    ])
  await (await sendChat(emulator, { stream: true })).text()
  for (let index = 0; index < 2; index += 1) await (await sendChat(emulator, { temperature: 7 })).text()
  await page.getByText('invalid-parameter').nth(1).waitFor()
  const error = ['funded', 'chat', '400', '0', '0.0000', '0.0', '0.0', 'invalid-parameter']
  await expect
    .poll(() => readTableRows(page, 'requests'))
    .toEqual([
      ['15:06:40.000, details of req-3', ...error],
      ['15:06:40.000, details of req-2', ...error],
      [
        '15:06:40.000, details of req-1',
        'funded',
        'chat vendora-v4-flash',
        '200',
        '12',
        '0.0048',
        '0.0',
        '0.0',
        'stream',
      ],
    ])
  await page.getByText('Timing of the emulator').click()
  await expect
    .poll(() => readTableRows(page, 'timing'))
    .toEqual([
      ['first', '1', '0', '0', '0', '0'],
      ['all', '8', '0', '0', '0', '0'],
      ['last', '1', '0', '0', '0', '0'],
    ])
  await expect
    .poll(async () => (await readTableRows(page, 'client-audit'))[0])
    .toEqual(['funded', expect.stringMatching(/^repeated-400: .*req-3 after req-2$/), '1'])
  expect(consoleMessages).toEqual([])
  expect([...hosts]).toEqual([new URL(emulator.url).host])
})

test('shows added models and extensions, and filters by an extension', async () => {
  const models = [{ id: 'gpt-4o', aliasOf: 'vendorc-4o' }]
  await using emulator = await startEmulator({ models, extensions: ['responses', 'embeddings'] })
  const { page } = await openConsole(emulator)
  await page.getByText('Added models: gpt-4o · Extensions: responses, embeddings').waitFor()
  await (await postJson(emulator, '/v1/embeddings', { model: 'gpt-4o', input: 'Hello.' })).text()
  await (await sendChat(emulator)).text()
  await page.getByLabel('Operation').selectOption('embeddings')
  await expect
    .poll(async () => (await readTableRows(page, 'requests')).map(([, , operation]) => operation))
    .toEqual(['embeddings gpt-4o'])
})

test('shows markup sent by a client as text', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 1000 } })
  const { page, consoleMessages } = await openConsole(emulator)
  const hostile = `/v1/<img src=x onerror=alert(1)>`
  await fetch(emulator.url + encodeURI(hostile), { headers: { authorization: 'Bearer <b>bold</b>' } })
  await sendRawRequest(emulator, `GET /v1/<script>alert(2)</script> HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  await page.getByText('<script>alert(2)</script>').waitFor()
  const content = '</pre><img src=x onerror=alert(3)>'
  await (await sendChat(emulator, { messages: [{ role: 'user', content }] })).text()
  await page.getByRole('button', { name: 'details of req-3' }).click()
  await page.getByLabel('Request body', { exact: true }).getByText(content).waitFor()
  expect(await page.locator('main :is(img, b, script), dialog :is(img, b, script)').count()).toBe(0)
  expect(consoleMessages).toEqual([])
})

test('prompts for the control token, or takes it from the fragment of its URL', async () => {
  await using emulator = await startEmulator({ controlToken: 'open-sesame-1234' })
  const { page } = await openPage(`${emulator.url}/__emulator/`)
  await page.getByText('requires a control token').waitFor()
  await page.getByLabel('Control token').fill('wrong')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('#token=wrong')
  await page.getByText('Locked').waitFor()
  await page.getByLabel('Control token').fill('open-sesame-1234')
  await page.keyboard.press('Enter')
  await page.getByText('Running').waitFor()
  await expect.poll(() => page.getByText('requires a control token').count()).toBe(0)
  await expect.poll(() => page.getByLabel('Control token').isVisible()).toBe(false)
  const { page: opened } = await openPage(`${emulator.url}/__emulator/#token=open-sesame-1234`)
  await opened.getByText('Running').waitFor()
  await expect.poll(() => readTableRows(opened, 'accounts')).toHaveLength(4)
})

async function findAccessibilityProblems(page: Page) {
  await page.evaluate(axe.source)
  const found = await page.evaluate<{ impact: string; id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations.map(({ impact, id, nodes }) => ({ impact, id, nodes: nodes.slice(0, 3).map(({ html }) => ({ html: html.slice(0, 200) })) })))',
  )
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
}

async function saveScreenshot(page: Page, name: string) {
  const folder = process.env['TOUCHSTONE_SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/console-${name}.png` })
}

test.each([
  ['light', 1280],
  ['light', 768],
  ['dark', 375],
] as const)('the console is readable and accessible in %s at %i px', async (colorScheme, width) => {
  await using emulator = await startEmulator({
    faults: [{ operation: 'images', status: 500 }],
    fixtures: [{ message: { matches: 'weather' }, text: 'Sunny. '.repeat(100) }],
    requestLog: { bodies: 2000 },
  })
  for (let index = 0; index < 3; index += 1) await (await sendChat(emulator, { temperature: 7 })).text()
  await (await sendChat(emulator, { stream: true, seed: 1, logit_bias: {}, [`x_${'long'.repeat(50)}`]: 1 })).text()
  await (await sendChat(emulator, {}, { key: 'sk-svc-nobody-has-this-key' })).text()
  const { page } = await openConsole(emulator, { colorScheme, viewport: { width, height: 900 } })
  await page.getByText('repeated-400').waitFor()
  const expectFit = async (name: string) => {
    await saveScreenshot(page, `${colorScheme}-${width}-${name}`)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('section, dialog[open], dialog[open] form')].filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.className || s.id)",
      ),
    ).toEqual([])
    expect(await findAccessibilityProblems(page)).toEqual([])
  }
  await expectFit('page')
  const accounts = await page.locator('#accounts tbody tr').last().boundingBox()
  expect((accounts?.y ?? Infinity) + (accounts?.height ?? 0)).toBeLessThan(450)
  await page.getByRole('button', { name: 'details of req-4' }).click()
  await page.getByRole('heading', { name: 'req-4' }).waitFor()
  await expectFit('request')
  await page.keyboard.press('Escape')
  for (const name of ['New account…', 'Add fault…', 'Add fixture…', 'Reset…']) {
    await page.getByRole('button', { name }).click()
    await expectFit(name.replaceAll(/\W/g, ''))
    await page.keyboard.press('Escape')
  }
})

test("reports a stopped emulator, and cannot be read by another site's page", async () => {
  const emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  await using other = await startEmulator()
  const { page: stranger } = await openPage(`${other.url}/v1/models`)
  const read = `fetch('${emulator.url}/__emulator/accounts', { method: 'POST' }).then((r) => r.status, () => 'kept out')`
  expect(await stranger.evaluate(read)).toBe('kept out')
  await emulator.close()
  await page.getByRole('alert').filter({ hasText: 'The emulator does not respond' }).waitFor()
})
