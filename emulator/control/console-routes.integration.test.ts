import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { callControl } from '../tests/support/requests.ts'

test('the Content-Security-Policy of the console page allows only its own script and style', async () => {
  await using emulator = await startEmulator()
  for (const path of ['/', '']) {
    const { status, headers, text } = await callControl(emulator, path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; connect-src 'self'/,
    )
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/https?:|\/\/[a-z]+\.|innerHTML|\son[a-z]+=|style=|@import|url\(/)
    expect(text).not.toContain('<!--')
  }
})
