import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { UNREAD_FORMS } from '../../conformance/sections/4.2-stream/unread-forms.ts'
import { listUnreadForms, renderUnreadForms } from './unread-forms.ts'

test('docs/reference/clients.md lists the forms that clients cannot read', () => {
  expect(readFileSync(new URL('../../docs/reference/clients.md', import.meta.url), 'utf8')).toContain(
    renderUnreadForms(),
  )
})

test('the suite names the clients and versions of these forms', () => {
  const measured = listUnreadForms()
  for (const { properties, clients, result } of UNREAD_FORMS) {
    expect(measured).toContainEqual({ properties, clients, result })
  }
  // A stream with a field retry has the properties of one with only ids.
  const others = measured.filter(({ properties }) => !properties.includes('event-fields=id-and-retry'))
  const isNamed = ({ properties }: (typeof measured)[number]) =>
    UNREAD_FORMS.some((form) => form.properties.every((property) => properties.includes(property)))
  expect(others.filter((form) => !isNamed(form))).toEqual([])
})
