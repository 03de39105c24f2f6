import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { expect, test } from 'vitest'
import { parseLatency } from '../options/parse-latency.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { readTableColumn, setUpConsole } from '../tests/support/console.ts'
import { LATENCY_PROFILES } from '../state/latency.ts'
import { postJson, sendChat, sendRawRequest, transcribe } from '../tests/support/requests.ts'

const { openConsole } = setUpConsole()

async function sendRequests(emulator: Emulator, count: number) {
  for (let index = 0; index < count; index += 1) await (await sendChat(emulator, { max_tokens: 2 })).text()
}

test('shows the details of a streamed request with tool calls', async () => {
  const toolCalls = [{ name: 'get_weather', arguments: { city: 'Paris' } }]
  await using emulator = await startEmulator({
    requestLog: { bodies: 10_000 },
    fixtures: [{ message: 'The weather?', text: 'One moment.', toolCalls }],
  })
  const { page } = await openConsole(emulator)
  const messages = [{ role: 'user', content: 'The weather?' }]
  const tools = [{ type: 'function', function: { name: 'get_weather' } }]
  const fields = { messages, tools, logit_bias: {}, stream: true, stream_options: { include_usage: true } }
  await (await sendChat(emulator, fields)).text()
  await (await sendChat(emulator, { temperature: 9 })).text()
  await page.getByRole('button', { name: 'details of req-1' }).click()
  const detail = page.getByRole('dialog')
  await detail.getByText(/First byte after [\d.]+ ms, end after [\d.]+ ms, \d+ events, .* apart/).waitFor()
  const facts = await detail
    .locator('.facts div')
    .evaluateAll((all) => Object.fromEntries(all.map((one) => [...one.children].map((part) => part.textContent ?? ''))))
  expect(facts).toMatchObject({
    Status: '200',
    Fixture: 'fixture-1',
    Account: 'funded',
    Key: fingerprintSecret(emulator.keys.funded),
    Operation: 'chat',
    Model: 'vendora-v4-flash',
    Tokens: expect.stringMatching(/^\d+/),
    Charge: expect.stringMatching(/^0\.0\d{3} credits$/),
    'Ignored fields': expect.stringContaining('logit_bias'),
  })
  await expect.poll(() => detail.getByLabel('Text of the message').textContent()).toBe('One moment.')
  await expect.poll(() => detail.getByLabel('Call of get_weather').textContent()).toBe('get_weather({"city":"Paris"})')
  await expect
    .poll(() => detail.getByLabel('Request body', { exact: true }).textContent())
    .toContain('"messages": [\n    {\n      "role": "user"')
  await expect
    .poll(() => detail.getByLabel('Response body', { exact: true }).textContent())
    .toContain('data: {"id":"chatcmpl-')
  await detail.getByRole('button', { name: 'Copy Request body' }).click()
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(async () => JSON.parse((await readClipboard()) || 'null')).toMatchObject(fields)
  await detail.getByRole('button', { name: 'Newer' }).click()
  await detail.getByRole('heading', { name: 'req-2' }).waitFor()
  await expect.poll(() => detail.locator('.facts').textContent()).toContain('Errorinvalid-parameter')
  await detail.getByRole('button', { name: 'Older' }).click()
  await detail.getByRole('heading', { name: 'req-1' }).waitFor()
  await detail.getByRole('button', { name: 'New fixture for this message…' }).click()
  await expect.poll(() => page.getByLabel('Fixture, as JSON').inputValue()).toContain('"message": "The weather?"')
})

test('shows busy slots, waiting requests, and the time for which a request waited', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock, slots: 1, latency: LATENCY_PROFILES.slow })
  const { page } = await openConsole(emulator)
  const responses = [sendChat(emulator), sendChat(emulator), sendChat(emulator)]
  await page.getByText('3 in flight · 1 of 1 slots busy · 2 waiting').waitFor()
  clock.advance(3_600_000)
  await Promise.all(responses)
  await page.getByText('0 in flight · 0 of 1 slots busy · 0 waiting').waitFor()
  await page.getByRole('button', { name: 'details of req-3' }).click()
  const wait = page.getByRole('dialog').locator('.facts div', { hasText: 'Time in the queue' })
  expect(await wait.textContent()).toMatch(/[\d,]+\.\d ms$/)
})

test('names the flag that keeps bodies, and shows which part of a long body was kept', async () => {
  for (const [requestLog, sentence] of [
    [
      {},
      'Bodies are not in the log. To see the bodies of later requests, start the emulator with --request-log bodies=65536',
    ],
    [{ bodies: 40 }, 'Request body the first 40 bytes of 95 bytes'],
  ] as const) {
    await using emulator = await startEmulator({ requestLog })
    await sendRequests(emulator, 1)
    const { page } = await openConsole(emulator)
    await page.getByRole('button', { name: 'details of req-1' }).click()
    await expect.poll(() => page.locator('#request-body').textContent()).toContain(sentence)
  }
})

test('shows the reasoning of a message, and how max_tokens truncates a fixture', async () => {
  await using emulator = await startEmulator({
    requestLog: { bodies: 10_000 },
    fixtures: [{ reasoning: 'I must look first.', text: 'It is sunny.' }],
  })
  for (const stream of [false, true]) await (await sendChat(emulator, { max_tokens: 7, stream })).text()
  const { page } = await openConsole(emulator)
  for (const id of ['req-1', 'req-2']) {
    await page.getByRole('button', { name: `details of ${id}` }).click()
    const detail = page.getByRole('dialog')
    await detail.getByText('the fixture has 9 tokens, and the request allows 7').waitFor()
    await expect.poll(() => detail.locator('.facts').textContent()).toContain('Reasoning tokens5')
    await expect.poll(() => detail.getByLabel('Reasoning of the message').textContent()).toBe('I must look first.')
    await expect.poll(() => detail.getByLabel('Text of the message').textContent()).toBe('It is')
    await page.keyboard.press('Escape')
  }
  await expect.poll(() => page.getByText('fixture-1, truncated').count()).toBe(2)
})

test('shows when a client left, and what was sent by then', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=100ms,itl=20ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency })
  const controller = new AbortController()
  const pending = sendChat(emulator, { stream: true, max_tokens: 9 }, { signal: controller.signal })
  await expect.poll(() => emulator.activeRequests()).toBe(1)
  clock.advance(145)
  await pending
  controller.abort()
  await expect.poll(() => emulator.requests().length).toBe(1)
  const { page } = await openConsole(emulator)
  await page.getByRole('button', { name: 'details of req-1' }).click()
  await page.getByText(/200, aborted by the client after 145\.0 ms \(sent: 4 events, [\d,]+ bytes\)/).waitFor()
})

test('shows a notice instead of a binary body', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 5000 } })
  await (await transcribe(emulator, new Uint8Array(3000))).text()
  const { page } = await openConsole(emulator)
  await page.getByRole('button', { name: 'details of req-1' }).click()
  await page.getByText('Binary content.').waitFor()
  await expect.poll(() => page.getByLabel('Response body', { exact: true }).textContent()).toMatch(/^\{\n {2}"text":/)
})

test('filters requests by account, operation and status', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '5' })
  await (await sendChat(emulator, {}, { key })).text()
  await (await sendChat(emulator, { temperature: 9 })).text()
  await (await postJson(emulator, '/v1/images/generations', { model: 'vendora-v4-flash', prompt: 'x' })).text()
  await (await sendChat(emulator, {}, { key: emulator.keys.noCredits })).text()
  const { page } = await openConsole(emulator)
  const seen = async () => (await readTableColumn(page, 'requests', 0)).map((text) => text?.replace(/.*req-/, ''))
  await expect.poll(seen).toEqual(['4', '3', '2', '1'])
  await page.getByLabel('Status').selectOption('4xx')
  await expect.poll(seen).toEqual(['4', '2'])
  await page.getByLabel('Status').selectOption('402')
  await expect.poll(seen).toEqual(['4'])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(seen).toEqual(['4', '3', '2', '1'])
  await page.getByLabel('Operation').selectOption('images')
  await expect.poll(seen).toEqual(['3'])
  await page.getByLabel('Operation').selectOption('')
  await page.getByRole('button', { name: 'account-1', exact: true }).click()
  await expect.poll(seen).toEqual(['1'])
  await page.getByRole('search').getByLabel('Account').fill('nobody')
  await page.getByText('No request in the log matches these filters.').waitFor()
})

test('pages through a log of 10,000 requests, 25 rows at a time', async () => {
  await using emulator = await startEmulator()
  const request = 'GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n'
  const requests = `${`${request}\r\n`.repeat(9999)}${request}connection: close\r\n\r\n`
  await sendRawRequest(emulator, requests, { keepOpen: true })
  const { page } = await openConsole(emulator)
  const about = page.locator('#requests-pager .about')
  await expect.poll(() => about.textContent()).toBe('No. 10,000 to 9,976')
  await page.getByText('10,000 in the log').waitFor()
  const pager = page.getByRole('group', { name: 'Pages of requests' })
  for (const expected of ['No. 9,975 to 9,951', 'No. 9,950 to 9,926']) {
    await pager.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => about.textContent()).toBe(expected)
  }
  await pager.getByRole('button', { name: 'Newer' }).click()
  await expect.poll(() => about.textContent()).toBe('No. 9,975 to 9,951')
  await pager.getByRole('button', { name: 'Newest' }).click()
  await expect.poll(() => about.textContent()).toBe('No. 10,000 to 9,976')
  await expect.poll(() => page.locator('#requests tbody tr').count()).toBe(25)
  await page.getByLabel('Status').selectOption('5xx')
  await page.getByText('No request in the log matches these filters.').waitFor()
})

test('inserts new requests without moving the focus or the scroll position', async () => {
  await using emulator = await startEmulator()
  await sendRequests(emulator, 30)
  const { page } = await openConsole(emulator, { viewport: { width: 1000, height: 500 } })
  const firstRow = async () => (await readTableColumn(page, 'requests', 0))[0]
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  await page.getByRole('button', { name: 'New account…' }).focus()
  await sendRequests(emulator, 1)
  await expect.poll(firstRow).toContain('req-31')
  expect(await focused()).toBe('New account…')

  await page.getByRole('button', { name: 'details of req-30' }).focus()
  await sendRequests(emulator, 2)
  const show = page.getByRole('button', { name: 'Show 2 new requests' })
  await show.waitFor()
  expect(await focused()).toContain('req-30')
  expect(await firstRow()).toContain('req-31')
  await show.click()
  await expect.poll(firstRow).toContain('req-33')

  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  const position = await page.evaluate<number>('scrollY')
  expect(position).toBeGreaterThan(300)
  await sendRequests(emulator, 1)
  await page.getByRole('button', { name: 'Show 1 new request' }).waitFor()
  expect(await page.evaluate<number>('scrollY')).toBe(position)
  await page.evaluate('scrollTo(0, 0)')
  await expect.poll(firstRow).toContain('req-34')

  await page.getByRole('button', { name: 'Pause' }).click()
  await sendRequests(emulator, 1)
  await page.getByRole('button', { name: 'Show 1 new request' }).waitFor()
  expect(await firstRow()).toContain('req-34')
})

test('opens requests and moves between them with the keyboard', async () => {
  await using emulator = await startEmulator()
  await sendRequests(emulator, 3)
  const { page } = await openConsole(emulator)
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  await page.getByRole('search').getByLabel('Account').focus()
  for (let step = 0; step < 3 && !(await focused()).includes('req-3'); step += 1) await page.keyboard.press('Tab')
  await expect.poll(focused).toContain('req-3')
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toContain('req-2')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('heading', { name: 'req-2' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect.poll(focused).toContain('req-2')
  await page.keyboard.press('ArrowUp')
  await expect.poll(focused).toContain('req-3')
})

test('clears the request log', async () => {
  await using emulator = await startEmulator()
  await sendRequests(emulator, 2)
  const { page } = await openConsole(emulator)
  await page.getByRole('button', { name: 'Clear log' }).click()
  await page.getByText('No requests yet.').waitFor()
  await sendRequests(emulator, 1)
  await expect.poll(() => readTableColumn(page, 'requests', 0)).toEqual([expect.stringContaining('req-3')])
})
