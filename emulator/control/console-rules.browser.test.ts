import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { readTableColumn, readTableRows, setUpConsole } from '../tests/support/console.ts'
import { callControl, sendChat } from '../tests/support/requests.ts'

const { openConsole } = setUpConsole()

const readClipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

test('creates an account with a rate limit, and copies its key', async () => {
  await using emulator = await startEmulator()
  const { page, consoleMessages } = await openConsole(emulator)
  await page.getByRole('button', { name: 'New account…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Credits').fill('0.5')
  await dialog.getByLabel('Requests per minute').fill('1')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const key = await page.getByRole('dialog', { name: 'Account account-1' }).getByLabel('Key').inputValue()
  await page.getByRole('button', { name: 'Copy key', exact: true }).click()
  await expect.poll(() => readClipboard(page)).toBe(key)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect
    .poll(() => readTableColumn(page, 'accounts', 0))
    .toEqual(['account-1', 'funded', 'no-credits', 'small', 'limited'])
  expect((await sendChat(emulator, { max_tokens: 4 }, { key })).status).toBe(200)
  expect((await sendChat(emulator, { max_tokens: 4 }, { key })).status).toBe(429)
  await expect.poll(() => page.locator('#accounts tbody tr').first().textContent()).toMatch(/0\.49\d\d.*0\.00\d\d/)
  for (const [name, expected] of [
    ['account-1', key],
    ['funded', emulator.keys.funded],
  ] as const) {
    await page.getByRole('button', { name: `Copy key of ${name}` }).click()
    await expect.poll(() => readClipboard(page)).toBe(expected)
  }
  expect(consoleMessages).toEqual([])
  await page.reload()
  await page.getByText('Running').waitFor()
  await expect.poll(async () => (await readTableColumn(page, 'accounts', 1))[0]).toBe(fingerprintSecret(key))
})

test('creates an account with a given key, or shows the error', async () => {
  await using emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  await page.getByRole('button', { name: 'New account…' }).click()
  const dialog = page.getByRole('dialog', { name: 'New account' })
  await dialog.getByLabel('Credits').fill('many')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').filter({ hasText: '"credits" must be' }).waitFor()
  await dialog.getByLabel('Credits').fill('3')
  await dialog.getByLabel('Key').fill('sk-svc-of-my-own-choice')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const account = await sendChat(emulator, {}, { key: 'sk-svc-of-my-own-choice' })
  expect(account.status).toBe(200)
})

test('adds credits to an account', async () => {
  await using emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  await page.getByRole('button', { name: 'Top up no-credits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Top up no-credits' })
  await dialog.getByLabel('Credits to add').fill('-1')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').filter({ hasText: '"add" must be' }).waitFor()
  await dialog.getByLabel('Credits to add').fill('2.5')
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: '2.5 credits were added to no-credits.' }).waitFor()
  await expect.poll(async () => (await readTableRows(page, 'accounts'))[1]?.[2]).toContain('2.5000')
  expect((await sendChat(emulator, {}, { key: emulator.keys.noCredits })).status).toBe(200)
})

test('pages through many accounts, newest first', async () => {
  await using emulator = await startEmulator()
  for (let index = 0; index < 12; index += 1) emulator.createAccount({ credits: '1' })
  const { page } = await openConsole(emulator)
  const names = () => readTableColumn(page, 'accounts', 0)
  const numbered = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => `account-${from - index}`)
  await expect.poll(names).toEqual(numbered(12, 5))
  const pager = page.getByRole('group', { name: 'Pages of accounts' })
  await pager.getByRole('button', { name: 'Older' }).click()
  await expect.poll(names).toEqual([...numbered(4, 1), 'funded', 'no-credits', 'small', 'limited'])
  await pager.getByRole('button', { name: 'Newest' }).click()
  await expect.poll(names).toEqual(numbered(12, 5))
})

test('resets the emulator after a confirmation', async () => {
  await using emulator = await startEmulator()
  emulator.createAccount({ credits: '1' })
  await (await sendChat(emulator)).text()
  const { page } = await openConsole(emulator)
  const reset = page.getByRole('button', { name: 'Reset…' })
  await reset.click()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel')
  await page.keyboard.press('Enter')
  expect((await callControl(emulator, '/accounts')).json.accounts).toHaveLength(5)
  await reset.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('status').filter({ hasText: 'The emulator was reset.' }).waitFor()
  await expect.poll(() => readTableColumn(page, 'accounts', 0)).toEqual(['funded', 'no-credits', 'small', 'limited'])
  await page.getByText('No requests yet.').waitFor()
})

async function addFault(page: Page, rule: string) {
  await page.getByRole('button', { name: 'Add fault…' }).click()
  await page.getByLabel('Rule').fill(rule)
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
}

const readFaults = async (emulator: Emulator) => (await callControl(emulator, '/faults')).json.faults

test('adds, disables, enables and removes faults, and shows how often each was injected', async () => {
  await using emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  await addFault(page, 'operation=chat,status=503')
  const toggle = page.getByLabel('fault-1 is enabled')
  await toggle.waitFor()
  expect((await sendChat(emulator)).status).toBe(503)
  await expect.poll(() => readTableRows(page, 'faults')).toMatchObject([{ 2: '1 of 1' }])
  await toggle.uncheck()
  await expect.poll(async () => (await readFaults(emulator))[0].enabled).toBe(false)
  expect((await sendChat(emulator)).status).toBe(200)
  await toggle.check()
  await expect.poll(async () => (await readFaults(emulator))[0].enabled).toBe(true)
  await page.getByRole('button', { name: 'Add fault…' }).click()
  await page.getByRole('dialog').getByLabel('Example').selectOption({ label: 'Delay every response by 3 seconds' })
  expect(await page.getByLabel('Rule').inputValue()).toBe('delayMs=3000')
  await page.keyboard.press('Escape')
  await addFault(page, 'operation=juggling')
  await page.getByRole('alert').filter({ hasText: 'must be one of models, chat' }).waitFor()
  expect(await readFaults(emulator)).toHaveLength(1)
  await page.keyboard.press('Escape')
  await addFault(page, 'status=500')
  await page.getByRole('button', { name: 'Remove fault-2' }).waitFor()
  await page.getByRole('button', { name: 'Remove fault-1' }).click()
  await page.getByRole('status').filter({ hasText: 'fault-1 was removed.' }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Remove fault-2')
  expect(await readFaults(emulator)).toMatchObject([{ id: 'fault-2' }])
})

test('adds and removes fixtures, and shows how often each was used', async () => {
  await using emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  await page.getByText('No fixtures: the emulator generates all responses.').waitFor()
  await page.getByRole('button', { name: 'Add fixture…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Fixture, as JSON').fill('{"text": ')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('alert').filter({ hasText: 'This is not valid JSON' }).waitFor()
  await dialog.getByLabel('Fixture, as JSON').fill('{"texts": "x"}')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('alert').filter({ hasText: 'texts' }).waitFor()
  await dialog.getByLabel('Example').selectOption('Text')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect.poll(() => readTableRows(page, 'fixtures')).toHaveLength(1)
  expect(await (await sendChat(emulator)).text()).toContain('Hello, world!')
  await expect.poll(() => readTableColumn(page, 'fixtures', 1)).toEqual(['1'])
  await page.getByText('message "Say hello." → "Hello, world!"').click()
  expect(JSON.parse((await page.getByLabel('JSON of fixture-1').textContent()) ?? '')).toEqual({
    message: 'Say hello.',
    text: 'Hello, world!',
  })
  await page.getByRole('button', { name: 'Remove fixture-1' }).click()
  await page.getByText('No fixtures: the emulator generates all responses.').waitFor()
  expect((await callControl(emulator, '/fixtures')).json).toEqual({ fixtures: [] })
})

test('accepts every example of a fault and of a fixture', async () => {
  await using emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  for (const [kind, field, table] of [
    ['fault', 'fault', 'faults'],
    ['fixture', 'fixture', 'fixtures'],
  ] as const) {
    const count = await page.locator(`#${kind}-example option`).count()
    for (let index = 1; index < count; index += 1) {
      await page.getByRole('button', { name: `Add ${kind}…` }).click()
      await page.locator(`#${kind}-example`).selectOption({ index })
      expect(await page.locator(`#${field}`).inputValue()).not.toBe('')
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    expect((await callControl(emulator, `/${table}`)).json[table]).toHaveLength(count - 1)
  }
})

test('creates an account and adds a fault with the keyboard alone', async () => {
  await using emulator = await startEmulator()
  const { page } = await openConsole(emulator)
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  const tabTo = async (text: string) => {
    for (let step = 0; step < 60 && (await focused()) !== text; step += 1) await page.keyboard.press('Tab')
    expect(await focused()).toBe(text)
  }
  await tabTo('New account…')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Account account-1' }).waitFor()
  await expect.poll(focused).toBe('Copy key')
  await page.keyboard.press('Escape')
  expect((await callControl(emulator, '/accounts')).json.accounts.at(-1)).toMatchObject({ credits: '7' })
  await tabTo('Add fault…')
  await page.keyboard.press('Space')
  await page.keyboard.type('status=418')
  await tabTo('Add')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await expect.poll(focused).toBe('Add fault…')
  expect(await readFaults(emulator)).toMatchObject([{ rule: { status: 418 } }])
})
