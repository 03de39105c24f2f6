import { expect, test } from 'vitest'
import { findNpmFlag } from './find-npm-flag.ts'

const FLAGS = ['--target', '--key', '--no-calibration', '--dry-run']

test.each([
  [{ npm_config_target: 'http://h:1' }, [], '--target'],
  [{ npm_config_dry_run: 'true' }, ['--target', 'http://h:1'], '--dry-run'],
  [{ npm_config_calibration: '' }, [], '--no-calibration'],
  [{ npm_config_target: '33.0.0' }, ['--target', 'http://h:1'], undefined],
  [{ npm_config_target: '33.0.0' }, ['--target=http://h:1'], undefined],
  [{ npm_config_key: 'pem' }, [], undefined],
  [{}, [], undefined],
])('with the variables %j and the arguments %j, finds the flag %s', (variables, args, flag) => {
  const call = { command: 'load', flags: FLAGS, args }
  expect(findNpmFlag({ ...call, environment: { npm_lifecycle_event: 'load', ...variables } })).toBe(flag)
  expect(findNpmFlag({ ...call, environment: { npm_lifecycle_event: 'ci', ...variables } })).toBeUndefined()
})
