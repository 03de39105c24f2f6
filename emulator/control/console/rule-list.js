// What the lists of faults and fixtures have in common. A list is described by an object:
// - `path`: path in the control API, with which the IDs of elements start
// - `name`: name of an item, with which the IDs of the elements of its form start
// - `rule`: states which item applies; `whenEmpty`: sentence for an empty list
// - `create`: returns `{ row, update }` for an item
// - `examples`: texts for the form by their titles; `parse`: reads the text of the form
import { call } from './api.js'
import { attempt, openDialog, registerForm, showMessage } from './dialogs.js'
import { button, byId, createLocalPager, element, hiddenText, setText, syncRows } from './dom.js'
import { formatInteger } from './format.js'

const PAGE_SIZE = 10

/** Functions that return the shown page of a list, by its path. */
const pages = new Map()
let refreshPage

/** Reads a list, and shows a page of it. */
export async function refreshList({ path, rule, create, whenEmpty }) {
  const { [path]: items } = await call(path)
  setText(byId(`${path}-about`), items.length === 0 ? '' : `${formatInteger(items.length)}, ${rule}`)
  const shown = pages.get(path)(path === 'faults' ? items.toReversed() : items)
  syncRows(byId(path).tBodies[0], shown, { keyOf: ({ id }) => id, create, whenEmpty })
}

/**
 * Changes an item with the control API.
 * @param {unknown} body
 */
export function changeItem(path, id, method, body = undefined) {
  return attempt(async () => {
    await call(`${path}/${encodeURIComponent(id)}`, method, body)
    if (method === 'DELETE') showMessage(`${id} was removed.`)
    await refreshPage()
  })
}

export function createRemoveButton(path, id) {
  const remove = button('Remove', () => changeItem(path, id, 'DELETE'), { class: 'small' })
  remove.append(hiddenText(` ${id}`))
  return remove
}

export function openAddForm(name) {
  openDialog(`add-${name}`)
  byId(name).focus()
}

/**
 * Registers the pages of a list, and the form that adds items.
 * @param refresh reads everything that the page shows
 */
export function registerList(list, refresh) {
  const { path, name, examples, parse } = list
  refreshPage = refresh
  pages.set(
    path,
    createLocalPager(`${path}-pager`, PAGE_SIZE, () => attempt(() => refreshList(list))),
  )
  const [input, example] = [byId(name), byId(`${name}-example`)]
  example.append(
    element('option', { value: '' }, `choose one to fill in the ${name}`),
    ...Object.entries(examples).map(([title, text]) => element('option', { value: text }, title)),
  )
  example.addEventListener('change', () => {
    if (example.value !== '') input.value = example.value
  })
  byId(`open-add-${name}`).addEventListener('click', () => openAddForm(name))
  registerForm(`add-${name}`, async () => {
    const { [path]: added } = await call(path, 'POST', parse(input.value.trim()))
    input.value = ''
    example.value = ''
    byId(`add-${name}`).close()
    showMessage(`${added.length === 1 ? added[0].id : `${added.length} ${path}`} added.`)
    await refresh()
  })
}
