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

test.each([
  ['http://h:1/v1/chat/completions', 'It contains the path of an operation. Did you mean http://h:1?'],
  ['http://h:1/gateway/v1/models/', 'It contains the path of an operation. Did you mean http://h:1/gateway?'],
  ['http://h:1/v1?key=value', 'It contains a query or a fragment: omit them.'],
])('rejects the target %j, which is not a base URL', (target, problem) => {
  expect(() => parseTarget(target)).toThrow(problem)
})

test.each([
  ['http://h:1/v1/', 'http://h:1'],
  ['http://h:1/chat/completions', 'http://h:1/chat/completions'],
])('normalizes the target %j to %j', (target, expected) => {
  expect(parseTarget(target)).toBe(expected)
})
