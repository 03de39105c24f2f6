// The list of accounts: create, top up, copy keys.
import { call } from './api.js'
import { attempt, copyText, openDialog, registerForm, showMessage } from './dialogs.js'
import { byId, button, cell, createAmount, element, hiddenText, setText, syncPager, syncRows } from './dom.js'
import { formatCredits } from './format.js'
import { filterByAccount } from './requests.js'

const PAGE_SIZE = 8

/** Accounts that exist at the start, with public keys. */
const STANDARD_ACCOUNTS = ['funded', 'no-credits', 'small', 'limited']

/** Keys of accounts that this page created, and their fingerprints. The control API returns a key only once. */
const createdKeys = new Map()

/** Account before which each page ends, from the newest page to the shown one. Null is the newest page. */
/** @type {(string | null)[]} */
let pageEnds = [null]
let refreshPage
let toppedUp

/** Reads a page of accounts and shows it, newest first, but the standard accounts in their usual order. */
export async function refreshAccounts() {
  const end = pageEnds.at(-1) ?? null
  const before = end === null ? '' : `&before=${encodeURIComponent(end)}`
  const { accounts } = await call(`accounts?tail=${PAGE_SIZE + 1}${before}`)
  if (end !== pageEnds.at(-1)) return
  const newest = accounts.toReversed().slice(0, PAGE_SIZE)
  const rankOf = ({ id }) => STANDARD_ACCOUNTS.indexOf(id)
  const shown = newest.toSorted((one, other) => rankOf(one) - rankOf(other))
  syncRows(byId('accounts').tBodies[0], shown, { keyOf: ({ id }) => id, create: createRow, whenEmpty: 'No accounts.' })
  syncPager('accounts-pager', {
    text: '',
    hasNewer: pageEnds.length > 1,
    hasOlder: accounts.length > PAGE_SIZE,
    onNewest: () => go([null]),
    onNewer: () => pageEnds.length > 1 && go(pageEnds.slice(0, -1)),
    onOlder: () => accounts.length > PAGE_SIZE && go([...pageEnds, newest.at(-1).id]),
  })
  suggestNames(accounts)
}

function go(ends) {
  pageEnds = ends
  void attempt(refreshAccounts)
}

function suggestNames(accounts) {
  const names = [...new Set([...STANDARD_ACCOUNTS, ...accounts.map(({ id }) => id)])]
  const list = byId('account-names')
  if (list.childElementCount !== names.length || names.some((name, index) => list.children[index].value !== name)) {
    list.replaceChildren(...names.map((name) => element('option', { value: name })))
  }
}

function createRow({ id, keyFingerprint }) {
  const [available, charged] = [cell('', 'number'), cell('', 'mid number')]
  const name = button(id, () => filterByAccount(id), { class: 'link', title: 'Show the requests of this account' })
  const topUp = button('Top up', () => openTopUp(id), { class: 'small' })
  topUp.append(hiddenText(` ${id}`))
  let state = ''
  return {
    row: element(
      'tr',
      {},
      cell(name, 'long'),
      cell(createKeyButton(id, keyFingerprint)),
      available,
      charged,
      cell(topUp, 'actions'),
    ),
    update: (account) => {
      if (state === JSON.stringify(account)) return
      state = JSON.stringify(account)
      available.replaceChildren(
        createAmount(formatCredits(account.credits)),
        element('div', { class: 'about narrow' }, `${account.charged} charged`),
      )
      charged.replaceChildren(createAmount(formatCredits(account.charged)))
      if (account.held !== '0') available.append(element('div', { class: 'about' }, `${account.held} held`))
    },
  }
}

function findKey(id, keyFingerprint) {
  if (STANDARD_ACCOUNTS.includes(id)) return `sk-svc-touchstone-${id}`
  const created = createdKeys.get(id)
  return created?.keyFingerprint === keyFingerprint ? created.key : undefined
}

function createKeyButton(id, keyFingerprint) {
  const key = findKey(id, keyFingerprint)
  if (key === undefined) {
    const title = 'The emulator shows a key only when the account is created.'
    return element('span', { class: 'code about', title }, keyFingerprint)
  }
  return button('Copy', (origin) => copyText(key, origin), { class: 'small', 'aria-label': `Copy key of ${id}` })
}

function openTopUp(id) {
  toppedUp = id
  setText(byId('top-up-title'), `Top up ${id}`)
  openDialog('top-up')
  byId('amount').select()
}

async function topUp() {
  const credits = byId('amount').value.trim()
  await call(`accounts/${encodeURIComponent(toppedUp)}/credits`, 'POST', { add: credits })
  byId('top-up').close()
  showMessage(`${credits} credits were added to ${toppedUp}.`)
  await refreshPage()
}

async function createAccount() {
  const numbers = { requestsPerMinute: 'requests-per-minute', burst: 'burst', tokensPerMinute: 'tokens-per-minute' }
  const given = Object.entries(numbers).filter(([, id]) => byId(id).value.trim() !== '')
  const limits = Object.fromEntries(given.map(([name, id]) => [name, Number(byId(id).value)]))
  const wanted = byId('new-account-key').value.trim()
  const fields = { credits: byId('credits').value.trim(), ...limits, ...(wanted === '' ? {} : { key: wanted }) }
  const { id, key, keyFingerprint } = await call('accounts', 'POST', fields)
  byId('new-account-key').value = ''
  createdKeys.set(id, { key, keyFingerprint })
  pageEnds = [null]
  await refreshPage()
  byId('new-account').close()
  setText(byId('new-key-title'), `Account ${id}`)
  byId('key').value = key
  openDialog('new-key')
  byId('copy-new-key').focus()
}

/**
 * Registers the account forms and their buttons.
 * @param refresh reads everything that the page shows
 */
export function registerAccounts(refresh) {
  refreshPage = refresh
  byId('open-new-account').addEventListener('click', () => openDialog('new-account'))
  byId('copy-new-key').addEventListener('click', ({ currentTarget }) => copyText(byId('key').value, currentTarget))
  registerForm('new-account', createAccount)
  registerForm('top-up', topUp)
}

/** Forgets the keys of accounts that a reset removed. */
export function forgetAccounts() {
  createdKeys.clear()
  pageEnds = [null]
}
