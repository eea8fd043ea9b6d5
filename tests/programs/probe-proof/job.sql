-- A job for sqlite3: tables, indexes, joins, windows, recursion, triggers, JSON, full text, rollback.
create table item(id integer primary key, name text, price real, kind integer);
create table sale(item integer references item, day integer, amount integer);
create index sale_item on sale(item, day);
create trigger t after insert on sale when new.amount > 8 begin update item set price = price + 0.5 where id = new.item; end;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into item select i, printf('%s-%04d', char(97 + i % 26), i * 7919 % 10007), i % 97 + i / 100.0, i % 11 from n;
with recursive n(i, r) as (select 1, 12345 union all select i + 1, (r * 1103515245 + 12345) % 2147483648 from n where i < 20000)
insert into sale select r / 7 % 3000 + 1, i % 365, r / 65536 % 10 from n;
select count(*), round(sum(price), 4), max(name) from item;
select kind, count(*), round(sum(amount * price), 2) from sale join item on item = id group by kind order by 3 desc;
select name, sum(amount) as s from item left join sale on item = id where name like 'c-%' group by id having s > 30 order by s desc, name limit 8;
select day, total, sum(total) over (order by day rows 6 preceding), rank() over (order by total desc)
  from (select day, sum(amount) as total from sale group by day) order by day limit 10;
select json_extract(json_group_array(json_object('n', name, 'p', price)), '$[5].n') from (select * from item order by id limit 20);
create virtual table text using fts5(body);
insert into text select name || ' ' || replace(name, '-', ' ') || ' kind' || kind from item;
select count(*) from text where text match 'kind3 AND a*';
create virtual table box using rtree(id, x0, x1, y0, y1);
insert into box select id, id % 100, id % 100 + 1, id / 100, id / 100 + 2 from item;
select count(*) from box where x0 > 20 and x1 < 60 and y0 > 5 and y1 < 20;
begin;
delete from sale where amount < 5;
update item set name = upper(name) where kind in (select kind from item group by kind having count(*) > 272);
select count(*), (select count(*) from item where name glob '[A-Z]*') from sale;
rollback;
select count(*), hex(substr(group_concat(name), 1, 10)), date('2020-02-28', '+2 days'), abs(-5.5), round(2.5) from item where id < 50;
with recursive m(x, y, cx, cy, n) as (
  select 0.0, 0.0, a / 10.0 - 2, b / 10.0 - 1, 0 from (select i as a from (select value as i from json_each('[1,5,9,13,17,21,25]'))), (select value as b from json_each('[2,6,10,14,18]'))
  union all select x*x - y*y + cx, 2*x*y + cy, cx, cy, n + 1 from m where x*x + y*y < 4 and n < 28)
select sum(n), max(n), count(*) from m;
explain query plan select * from sale, item where item = id and kind = 3 order by day;
analyze; reindex; vacuum;
pragma integrity_check;
select avg(amount), (select name from item order by price desc, id limit 1) from sale;
