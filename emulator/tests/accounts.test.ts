import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { readOptions } from '../options/read-options.ts'

test('creates accounts at startup from flags, a config file or options, and restores them on reset', async () => {
  const accounts = [
    { key: 'sk-svc-mine', credits: '5' },
    { key: 'sk-svc-slow', credits: '2.5', rateLimit: { requestsPerMinute: 60, burst: 3 } },
  ]
  const file = [accounts[0], { key: 'sk-svc-slow', credits: '2.5', requestsPerMinute: 60, burst: 3 }]
  const flags = ['key=sk-svc-mine,credits=5', 'key=sk-svc-slow,credits=2.5,requestsPerMinute=60,burst=3']
  for (const options of [
    { accounts },
    readOptions([['accounts', file]]),
    readOptions([['accounts', flags]]),
    readOptions([['accounts', flags.join(';')]]),
    readOptions([
      ['accounts', [file[0]]],
      ['accounts', flags[1]],
    ]),
  ]) {
    const emulator = createEmulator(options)
    const request = () =>
      emulator.fetch('http://emulator.test/v1/models', { headers: { authorization: 'Bearer sk-svc-slow' } })
    expect((await request()).headers.get('x-ratelimit-limit-requests')).toBe('3')
    emulator.addCredits('sk-svc-mine', '1')
    expect(emulator.balance('sk-svc-mine')).toMatchObject({ startUnits: 50_000, availableUnits: 60_000 })
    emulator.reset()
    expect(emulator.balance('sk-svc-mine')).toMatchObject({ startUnits: 50_000, availableUnits: 50_000 })
    expect(emulator.balance('sk-svc-slow')).toMatchObject({ availableUnits: 25_000 })
    await emulator.close()
  }
})

test.each([
  ['sk-svc-mine', 'An account has the form key=sk-svc-mine,credits=5'],
  ['key=secret-1,credits=5', '"key" must be sk-svc- followed by'],
  ['key=sk-svc-secret-1', '"credits" must be a decimal string'],
  ['key=sk-svc-secret-1,credits=5,colour=red', 'Unknown field "colour".'],
  ['key=sk-svc-secret-1,credits=5,burst=2', '"requestsPerMinute"'],
  ['key=sk-svc-secret-1,credits=5;key=sk-svc-secret-1,credits=5', 'Another account has this key.'],
  ['key=sk-svc-touchstone-small,credits=5', 'Another account has this key.'],
])('rejects the account %j without showing its key', (text, sentence) => {
  const create = () => createEmulator(readOptions([['accounts', [text].flatMap((one) => one.split(';'))]]))
  expect(create).toThrow(InvalidOptionError)
  expect(create).toThrow(sentence)
  expect(create).not.toThrow('secret-1')
})

test('sets and adds credits by key in process', async () => {
  const emulator = createEmulator()
  const { key } = emulator.createAccount({ credits: '1', key: 'sk-svc-mine' })
  expect(key).toBe('sk-svc-mine')
  expect(emulator.setCredits(key, '0.5')).toMatchObject({ addedUnits: -5000, availableUnits: 5000 })
  expect(emulator.addCredits(key, '2')).toMatchObject({ addedUnits: 15_000, availableUnits: 25_000 })
  expect(() => emulator.addCredits(key, '-1')).toThrow("'-1' is not a decimal string of credits")
  expect(() => emulator.addCredits(key, '100000000000')).toThrow('at most 100000000000 credits')
  expect(() => emulator.setCredits('sk-svc-nobody', '1')).toThrow('No account has the key (hidden).')
  expect(() => emulator.createAccount({ credits: '1', key })).toThrow('Another account has this key.')
  await emulator.close()
})
