// Dialogs, messages and the clipboard.
import { describeError } from './api.js'
import { byId, element, setText } from './dom.js'

const MESSAGE_MS = 6000
const COPIED_MS = 1500

let messageTimer

/** Shows a sentence for some seconds. Screen readers read it without moving the focus. */
export function showMessage(sentence) {
  byId('message').textContent = sentence
  clearTimeout(messageTimer)
  messageTimer = setTimeout(() => (byId('message').textContent = ''), MESSAGE_MS)
}

/** Calls the control API outside a dialog, and shows the sentence of an error. */
export async function attempt(action) {
  try {
    await action()
  } catch (error) {
    showMessage(describeError(error))
  }
}

/** Opens a dialog without the errors of its earlier use. Closing it returns the focus. */
export function openDialog(id) {
  const dialog = byId(id)
  const error = dialog.querySelector('[role=alert]')
  if (error !== null) setText(error, '')
  dialog.showModal()
}

/**
 * Registers the action of the form in a dialog. The dialog closes after it; an error is shown in the dialog, which
 * remains open.
 */
export function registerForm(id, action) {
  const dialog = byId(id)
  const error = dialog.querySelector('[role=alert]')
  dialog.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    try {
      setText(error, '')
      await action()
    } catch (problem) {
      setText(error, describeError(problem))
    }
  })
}

/** Closes a dialog when the user clicks outside of it, or on one of its `data-close` buttons. */
export function registerDialogs() {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog || (target instanceof Element && target.closest('[data-close]') !== null)) dialog.close()
    })
  }
}

/** Copies a text, and confirms it on the button for a moment. */
export async function copyText(text, origin) {
  const label = origin.dataset.label ?? origin.textContent
  origin.dataset.label = label
  const isCopied = await writeClipboard(text, origin)
  setText(origin, isCopied ? 'Copied' : 'Not copied')
  setTimeout(() => setText(origin, label), COPIED_MS)
}

async function writeClipboard(text, origin) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text, origin)
  }
}

/** Copies with `execCommand`, because browsers provide the clipboard API only to local pages and pages with HTTPS. */
function copySelection(text, origin) {
  const area = element('textarea', { class: 'hidden', readonly: true })
  area.value = text
  origin.after(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  origin.focus()
  return isCopied
}
