import { expect, test } from 'vitest'
import { parseTarget } from './open-target.ts'

test.each([
  ['127.0.0.1:8088', 'Did you mean http://127.0.0.1:8088?'],
  ['localhost:8080/v1', 'Did you mean http://localhost:8080/v1?'],
  ['gateway.example.com', 'Did you mean http://gateway.example.com?'],
  ['sk-svc-1234.5678', 'Use an address such as http://127.0.0.1:8080.'],
  ['secret', 'Use an address such as http://127.0.0.1:8080.'],
])('rejects the target %j without showing a possible key: %s', (target, suggestion) => {
  expect(() => parseTarget(target)).toThrow(`It is not an http or https address. ${suggestion}`)
})
