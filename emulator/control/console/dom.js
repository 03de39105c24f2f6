// Elements. Every text is inserted as text: what clients send never becomes markup.

/**
 * Returns an element of page.html. The type check knows the properties of elements that scripts create, but not of these.
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id)
}

/** Creates an element with attributes and children. Children are nodes or texts. */
export function element(tag, attributes = {}, ...children) {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== '' && value !== false) created.setAttribute(name, value === true ? '' : value)
  }
  created.append(...children.map((child) => (child instanceof Node ? child : String(child))))
  return created
}

/** Creates a button that calls `action` with itself. */
export function button(label, action, attributes = {}) {
  const created = element('button', { type: 'button', ...attributes }, label)
  created.addEventListener('click', () => void action(created))
  return created
}

export function cell(content, className = '') {
  return element('td', { class: className }, content)
}

/** Creates a text that only screen readers read. */
export function hiddenText(text) {
  return element('span', { class: 'hidden' }, text)
}

/** Creates an amount of credits, with the trailing zeros less visible. */
export function createAmount([significant, zeros]) {
  return element('span', {}, significant, element('span', { class: 'about' }, zeros))
}

/** Changes the text of a node only if it differs, so that a selection remains. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Rows of each table body by key, each with the function that updates it. */
const rowsOf = new WeakMap()

/**
 * Shows one row for each item, and keeps the rows of items that were shown before, with focus and selection.
 * @param body the table body
 * @param keyOf returns the identity of an item
 * @param create returns `{ row, update }` for a new item; `update` is optional and gets the item at each call
 * @param whenEmpty sentence for a table without items
 */
export function syncRows(body, items, { keyOf, create, whenEmpty }) {
  const known = rowsOf.get(body) ?? new Map()
  const current = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const shown = known.get(key) ?? create(item)
    shown.update?.(item)
    current.set(key, shown)
  }
  rowsOf.set(body, current)
  const rows = [...current.values()].map(({ row }) => row)
  const focusedRow = [...body.rows].findIndex((row) => row.contains(document.activeElement))
  const keepsFocus = focusedRow === -1 || rows.includes(body.rows[focusedRow])
  for (const row of Array.from(body.rows)) if (!rows.includes(row)) row.remove() // The collection is live.
  // A row that is in its place is not moved, because it would lose the focus.
  for (const [index, row] of rows.entries()) {
    if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] ?? null)
  }
  if (rows.length === 0) body.append(createEmptyRow(body, whenEmpty))
  if (!keepsFocus) focusNear(body, focusedRow)
}

function createEmptyRow(body, sentence) {
  const only = cell(sentence, 'about empty')
  only.colSpan = body.parentElement.tHead.rows[0].cells.length
  return element('tr', {}, only)
}

/** Moves the focus of a removed row to the row in its place, or to the controls of the section. */
function focusNear(body, index) {
  const row = body.rows[Math.min(index, body.rows.length - 1)]
  const buttons = [...(row ?? body).querySelectorAll('button')]
  const target = buttons.at(-1) ?? body.closest('section').querySelector('button')
  target.focus()
}

/**
 * Shows the buttons of a pager, which has no content if there is one page.
 * @param text describes the page
 */
export function syncPager(id, { text, hasNewer, hasOlder, onNewest, onNewer, onOlder }) {
  const pager = byId(id)
  if (pager.childElementCount === 0) {
    pager.append(
      button('Newest', onNewest),
      button('Newer', onNewer),
      button('Older', onOlder),
      element('span', { class: 'about' }),
    )
  }
  pager.hidden = !hasNewer && !hasOlder
  const [newest, newer, older, about] = pager.children
  setDisabled(newest, !hasNewer)
  setDisabled(newer, !hasNewer)
  setDisabled(older, !hasOlder)
  setText(about, text)
}

/** Disables a button. It remains focusable, so that the focus stays when the last page is reached. */
function setDisabled(target, isDisabled) {
  target.setAttribute('aria-disabled', String(isDisabled))
}

/** Returns one page of a list, and the functions of its pager. */
export function createLocalPager(id, pageSize, refresh) {
  let first = 0
  const go = (position) => {
    first = position
    refresh()
  }
  return (items) => {
    first = Math.max(0, Math.min(first, Math.floor((items.length - 1) / pageSize) * pageSize))
    const page = items.slice(first, first + pageSize)
    syncPager(id, {
      text: `${first + 1}–${first + page.length} of ${items.length}`,
      hasNewer: first > 0,
      hasOlder: first + pageSize < items.length,
      onNewest: () => go(0),
      onNewer: () => go(Math.max(0, first - pageSize)),
      onOlder: () => go(Math.min(first + pageSize, items.length)),
    })
    return page
  }
}
