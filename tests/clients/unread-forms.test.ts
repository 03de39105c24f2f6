import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderUnreadForms } from './unread-forms.ts'

test('docs/clients.md lists the forms that clients cannot read', () => {
  expect(readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')).toContain(renderUnreadForms())
})
