import fc from 'fast-check'

// Setup of the unit tier: generated inputs are the same in every run. `npm run test:nightly` draws others.
fc.configureGlobal({ seed: 1 })
