-- What searches for options of whole programs ask of the ledger, and leave in it.

--- find_trial
select seconds, beside_seconds, ratio, error, rounds, verdict, largest_error, problem
from program_trials
where digest = ? and change = ? and beside = ?

--- add_trial
insert or replace into program_trials (digest, command, change, beside, seconds, beside_seconds, ratio, error, rounds,
    verdict, largest_error, problem, made)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
