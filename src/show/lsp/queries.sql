-- What is asked of a message: SQLite reads its JSON.

--- message_valid
select json_valid(?1)

--- message_value
select json_extract(?1, ?2), json_type(?1, ?2)

--- message_json
select json_quote(json_extract(?1, ?2))
