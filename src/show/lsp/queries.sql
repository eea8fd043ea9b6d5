-- What is asked of a message: SQLite reads its JSON.

--- message_valid
select json_valid(?1)

--- message_value
select json_extract(?1, ?2), json_type(?1, ?2)

--- message_json
select json_quote(json_extract(?1, ?2))

--- message_changes
select json_extract(value, '$.range.start.line'), json_extract(value, '$.range.start.character'),
       json_extract(value, '$.range.end.line'), json_extract(value, '$.range.end.character'),
       json_extract(value, '$.text')
from json_each(?1, '$.params.contentChanges')
